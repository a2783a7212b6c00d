import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 2, 11a and 38a: code of the program that changes a property at a bad time loses no value.
@Suite struct BadTimeTests {
    final class Model: KeyValueObject {
        @Observed var number = 0
        @AtomicObserved var level = 1

        func replaceStorage() { _level = AtomicObserved(wrappedValue: 2) }
    }

    /// A property that only `withChange(of:_:)` announces.
    final class Ledger: KeyValueObject {
        @Observed var entries: [Int] = []

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { false }
    }

    @MainActor final class Screen {
        let log = EventLog<String>()
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("Rule 2: an assignment stays after a handler of `.prior` has replaced the property's storage") @MainActor
    func aReplacedStorage() throws {
        let (model, screen) = (Model(), Screen())
        screen.observations.observe(model, \.level, options: [.prior, .old, .new]) { screen, model, change in
            guard !change.isPrior else { return model.replaceStorage() }
            screen.log.append("\(change.oldValue ?? 0) -> \(change.newValue ?? 0)")
        }
        screen.observations.observe(model, \.level, initial: false, tag: "value") { screen, level in screen.log.append("\(level)") }
        model.level = 4
        #expect(model.level == 4)
        try screen.log.expect(["2 -> 4", "4"])
    }

    @Test("Rules 11a, 38a: a value is not handed over once a condition has set a newer one") @MainActor
    func aConditionThatSets() throws {
        let (model, screen) = (Model(), Screen())
        screen.observations.observe(
            model, \.number,
            until: { number in
                if number == 1 { model.number = 5 }
                return false
            },
            handler: { screen, number in screen.log.append("\(number)") })
        model.number = 1
        try screen.log.expect(["0", "5"])
    }

    @Test("Rules 11a, 38a: a value does not end an observation once its condition has set a newer one") @MainActor
    func aConditionOfOneCallThatSets() throws {
        let (model, screen) = (Model(), Screen())
        screen.observations.observeOnce(
            model, \.number,
            where: { number in
                if number == 1 { model.number = 5 }
                return number == 1
            },
            handler: { screen, number in screen.log.append("\(number)") })
        model.number = 1
        try screen.log.expect([])
        #expect(screen.observations.unobserve(model, \.number) == 1)
    }

    @Test("Rules 11a, 38a: a value is not assigned once a transform has set a newer one", arguments: [false, true]) @MainActor
    func aTransformThatSets(initially: Bool) {
        let (source, target) = (Model(), Model())
        if initially { source.number = 1 }
        let token = bind(source, \.number, to: target, \.number) { number in
            if number == 1 { source.number = 5 }
            return number
        }
        if !initially { source.number = 1 }
        #expect(source.number == 5 && target.number == 5)
        withExtendedLifetime(token) {}
    }

    @Test("Rule 38a: a mark of a pause that ends while the property is mutated in place stays until the mutation ends") @MainActor
    func aMarkDuringAMutation() throws {
        let (ledger, screen) = (Ledger(), Screen())
        screen.observations.observe(ledger, \.entries) { screen, entries in screen.log.append("\(entries)") }
        screen.observations.pause()
        ledger.withChange(of: \.entries) { ledger.entries = [1] }
        func resume(_ entries: inout [Int]) {
            entries.append(2)
            screen.observations.resume()
        }
        resume(&ledger.entries)
        try screen.log.expect(["[]", "[1, 2]"])
    }

    @Test("Rule 38a: a value that a pause has left out is read when it ends, once, and not if the observation is replaced meanwhile")
    @MainActor func aMarkOfAPause() throws {
        let (model, screen) = (Model(), Screen())
        screen.observations.observe(model, \.number) { screen, number in screen.log.append("\(number)") }
        screen.observations.pause()
        model.number = 1
        model.number = 2
        screen.observations.resume()
        try screen.log.expect(["0", "2"])
        #expect(screen.observations.counters.overtaken == 1)
        screen.observations.pause()
        model.number = 3
        screen.observations.observe(model, \.number, initial: false, ifAlreadyObserved: .replace) { screen, number in
            screen.log.append("new \(number)")
        }
        screen.observations.resume()
        try screen.log.expect([])
        model.number = 4
        try screen.log.expect(["new 4"])
    }
}
