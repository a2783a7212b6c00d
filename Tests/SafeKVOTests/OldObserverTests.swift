import SafeKVOTesting
import Testing

@testable import SafeKVO

/// Observers whose serial numbers are as old as they can become, just before numbers are made anew.
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

    @Test("A delivery to nobody reaches no old observer")
    func nobodyIsReached() throws {
        let (early, late) = (ObservationController(observer: observer), ObservationController(observer: observer))
        for tag in ["a", "b", "c"] as [ObservationTag] { early.observe(subject, \.value, options: [], tag: tag) { _, _, _ in } }
        let known = subject.keyValueRegistrar.observers.record
        let record = try #require(known)
        #expect(record.infos.count == 3)
        for _ in 0..<64 {
            subject.countManyRegistrations()
            #expect(record.infos.allSatisfy { $0.isLinked(after: record.nobody) })
            for _ in 0..<3 {
                late.observe(subject, \.value, options: []) { _, _, _ in }
                #expect(record.infos.allSatisfy { $0.isLinked(after: record.nobody) })
                late.unobserveAll()
            }
        }
    }
}
