import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Key paths that are followed by what their getters read, when things happen while they are being followed.
@Suite struct TrackedPathTests {
    class Sums: KeyValueObject {
        @Observed var a = 1
        @Observed var b = 1
        @Observed var reads = 0
        var sum: Int { a + b }
        var counting: Int {
            reads += 1
            return a
        }
    }

    final class Observer {}

    let sums = Sums()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("An older observer of a derived key path hears the change in which another registers for old values")
    func anOlderObserverHearsTheChangeInWhichAnotherRegisters() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(sums, \.a, options: .new) { [log] _, sums, change in
            observations.observe(sums, \.sum, options: [.old, .new], tag: "later") { _, _, change in log.append("later \(change.told)") }
            log.append("a \(change.told)")
        }
        observations.observe(sums, \.sum, options: .new) { [log] _, _, change in log.append("sum \(change.told)") }
        sums.a = 2
        #expect(log.events.contains("sum after new 3"))
        log.removeAll()
        observations.unobserve(sums, \.a)
        sums.b = 2
        try log.expect(["sum after new 4", "later after old 3 new 4"])
    }

    @Test("A getter that sets what it reads does not evaluate itself without end")
    func aGetterThatSetsWhatItReadsEnds() {
        let observations = ObservationController(observer: observer)
        var heard: [Int] = []
        observations.observe(sums, \.counting) { _, value in heard.append(value) }
        sums.a = 5
        #expect(heard.first == 1)
        #expect(heard.last == 5)
        #expect(heard.count < 10)
    }

    @Test("A path whose last observation is removed inside its getter works again for the next observer")
    func aPathAtRestDuringAnEvaluationWorksAgain() throws {
        final class Fickle: Sums {
            var act: () -> Void = {}
            var value: Int {
                let value = a
                act()
                return value
            }
        }
        let fickle = Fickle()
        let observations = ObservationController(observer: observer)
        observations.observe(fickle, \.value, options: .new) { _, _, _ in }
        fickle.act = { observations.unobserve(fickle, \.value) }
        fickle.a = 2
        fickle.act = {}
        observations.observe(fickle, \.value, options: .new) { [log] _, _, change in log.append(change.told) }
        fickle.a = 3
        try log.expect(["after new 3"])
        observations.unobserveAll()
    }

    @Test("What the library reads for an initial call inside a getter is no dependency of that getter")
    func anInitialCallInsideAGetterIsNoDependency() throws {
        final class Nosy: Sums {
            var act: () -> Void = {}
            var value: Int {
                act()
                return a
            }
        }
        let (nosy, other) = (Nosy(), Sums())
        let observations = ObservationController(observer: observer)
        nosy.act = { observations.observe(other, \.b, ifAlreadyObserved: .replace) { _, _ in } }
        observations.observe(nosy, \.value, options: .new, removing: nil) { [log] _, _, change in log.append(change.told) }
        other.b = 9
        try log.expect([])
        nosy.act = {}
        nosy.a = 4
        try log.expect(["after new 4"])
    }
}
