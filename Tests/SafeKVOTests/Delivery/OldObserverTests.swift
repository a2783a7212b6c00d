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

    @Test("Rules 8, 9: a change is told to the observers behind a handler, however many register while that handler runs")
    func allAreCalledBehindALongHandler() throws {
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "long") { _, subject, _ in
            for _ in 0..<64 { subject.countManyRegistrations() }
        }
        observations.observe(subject, \.value, options: .new, tag: "change") { _, _, change in
            log.append("change \(change.newValue ?? -1)")
        }
        observations.observe(subject, \.value, initial: false, tag: "value") { _, value in log.append("value \(value)") }
        subject.value = 1
        try log.expect(["change 1", "value 1"])
    }
}
