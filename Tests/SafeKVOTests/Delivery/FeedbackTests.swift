import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 11b: changes that cause each other again and again are reported, and delivered.
@Suite struct FeedbackTests {
    final class Counter: KeyValueObject {
        @Observed var number = 0
        @Observed var copy = 0
        var twice: Int { number * 2 }

        /// Counts on until the number is `last`.
        func count(to last: Int) {
            if number < last { number += 1 }
        }
    }
    final class Reader {}

    let counter = Counter()
    let reader = Reader()

    init() { Warnings.listen() }

    @Test("Rule 11b: the 100th nested delivery of a key is reported once, with the handler's line; 99 are not")
    func theHundredthIsReported() {
        let line: UInt = #line
        let observations = ObservationController(observer: reader)
        observations.observe(counter, \.number, options: .new) { [counter] _, _, _ in counter.count(to: 99) }
        counter.number = 1
        #expect(Warnings.about(line...line + 4) == [])
        observations.unobserveAll()
        observations.observe(counter, \.number, options: .new) { [counter] _, _, _ in counter.count(to: 300) }
        counter.number = 1
        #expect(counter.number == 300)
        #expect(Warnings.about(line...line + 8) == ["feedback 6"])
    }

    @Test("Rule 11b: so are two keys that set each other, and a computed key whose handler sets what it reads")
    func whatGoesRoundIsReported() {
        let line: UInt = #line
        let observations = ObservationController(observer: reader)
        observations.observe(counter, \.number, options: .new) { [counter] _, _, _ in counter.copy = counter.number }
        observations.observe(counter, \.copy, options: .new) { [counter] _, _, _ in counter.count(to: 120) }
        counter.number = 1
        // Each of the two keys has been delivered that often.
        #expect(Warnings.about(line...line + 4) == ["feedback 3", "feedback 2"])
        observations.unobserveAll()
        observations.observe(counter, \.twice, options: .new) { [counter] _, _, _ in counter.count(to: 120) }
        counter.number = 1
        #expect(counter.number == 120)
        #expect(Warnings.about(line + 6...line + 10) == ["feedback 2"])
    }

    @Test("Rule 11b: so is the 100th round of delivering what arrived during the initial call; 99 are not")
    func theHundredthRoundIsReported() {
        let line: UInt = #line
        let observations = ObservationController(observer: reader)
        observations.observe(counter, \.number, options: [.initial, .new]) { [counter] _, _, _ in counter.count(to: 99) }
        #expect(Warnings.about(line...line + 4) == [])
        observations.unobserveAll()
        counter.number = 0
        observations.observe(counter, \.number) { [counter] _, _ in counter.count(to: 300) }
        #expect(counter.number == 300)
        #expect(Warnings.about(line...line + 8) == ["feedback 6"])
    }

    @Test("Rules 11b, 47: so is a handler that changes what it observes in a batch of its own")
    func batchesAreReported() {
        let line: UInt = #line
        let observations = ObservationController(observer: reader)
        observations.observe(counter, \.number, options: .new) { [counter] _, _, _ in withBatchedChanges { counter.count(to: 120) } }
        counter.number = 1
        #expect(counter.number == 120)
        #expect(Warnings.about(line...line + 4) == ["feedback 2"])
    }

    @Test("Rules 11b, 36a: a setter beside an initial call that is under way leaves its value and returns; the newest is told")
    func aSetterLeavesItsValue() {
        final class Gauge: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the property is atomic.
            @AtomicObserved var level = 0
        }
        final class Viewer: Sendable {}
        let (gauge, viewer, heard) = (Gauge(), Viewer(), EventLog<Int>())
        let observations = ObservationController(observer: viewer)
        observations.observe(
            gauge, \.level,
            on: .anyThread { _, level in
                heard.append(level)
                // The other thread's setters return although this call has not.
                if level == 0 { OtherThread.run { for level in 1...1000 { gauge.level = level } } }
            })
        #expect(heard.events == [0, 1000])
        #expect(observations.counters.overtaken == 999)
    }
}
