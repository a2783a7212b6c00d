import SafeKVO
import SafeKVOTesting
import Testing

/// Observers that were registered before more others than a number of 32 bits can count.
@Suite struct OldObserverTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
    }
    final class Observer {}

    let subject = Subject()
    let observer = Observer()

    @Test("Rule 8: all old observers are called, in order, however old their numbers become")
    func allAreCalled() throws {
        let log = EventLog<String>()
        let (early, late) = (ObservationController(observer: observer), ObservationController(observer: observer))
        for tag in ["a", "b", "c"] as [ObservationTag] {
            early.observe(subject, \.value, options: .new, tag: tag) { _, _, _ in log.append("\(tag)") }
        }
        for _ in 0..<64 {
            subject.countManyRegistrations()
            subject.value += 1
            try log.expect(["a", "b", "c"])
            for _ in 0..<3 {
                late.observe(subject, \.value, options: .new) { _, _, _ in }
                subject.value += 1
                try log.expect(["a", "b", "c"])
                late.unobserveAll()
            }
        }
    }
}
