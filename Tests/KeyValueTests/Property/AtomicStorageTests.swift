import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// An atomic property is where it is stored in its object, whatever cell is stored there.
@MainActor @Suite struct AtomicStorageTests {
    final class Payload: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }
    final class Model: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var number = 1
        @AtomicObserved var payload = Payload("b")
        @AtomicObserved var third = 5
        var sum: Int { number + third }

        func resetNumber() { _number = AtomicObserved(wrappedValue: 2) }
        func resetPayload() { _payload = AtomicObserved(wrappedValue: Payload("B")) }
        func exchange() { swap(&_number, &_third) }
    }
    final class Observer: Sendable {}

    let model = Model()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("A wrapper that is replaced leaves its observers: they hear the next change")
    func aReplacedWrapperKeepsItsObservers() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.number, options: [.old, .new]) { _, _, change in log.append(change.told) }
        observations.observe(model, \.sum, options: [.old, .new]) { _, _, change in log.append("sum \(change.told)") }
        model.resetNumber()
        model.number = 4
        model.$number.update { $0 += 1 }
        try log.expect(["after old 2 new 4", "sum after old 6 new 9", "after old 4 new 5", "sum after old 9 new 10"])
    }

    @Test("Wrappers that are exchanged exchange their values, and not their observers")
    func exchangedWrappersKeepTheirObservers() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.number, options: .new) { _, _, change in log.append("number \(change.told)") }
        observations.observe(model, \.third, options: .new) { _, _, change in log.append("third \(change.told)") }
        model.exchange()
        #expect(model.number == 5)
        model.number = 10
        model.third = 20
        try log.expect(["number after new 10", "third after new 20"])
        #expect(observations.observations.map(\.name) == ["number", "third"])
    }

    @Test("A cell at the address of another one confuses no types")
    func aCellAtAnotherCellsAddress() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<100 {
                let (model, observer, log) = (Model(), Observer(), EventLog<String>())
                let observations = ObservationController(observer: observer)
                observations.observe(
                    model, \.payload, options: .new, on: .anyThread { _, _, change in log.append(change.newValue?.text ?? "") })
                model.resetPayload()
                for number in 0..<100 {
                    model.resetNumber()
                    model.number = number + 0x4141
                }
                try log.expect([])
                model.payload = Payload("c")
                try log.expect(["c"])
            }
        }
    }

    @Test("A projection that was kept reaches the cell that the property has now")
    func aKeptProjectionReachesThePresentCell() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.number, options: [.old, .new]) { _, _, change in log.append(change.told) }
        let projection = model.$number
        model.resetNumber()
        projection.update { $0 += 1 }
        #expect(model.number == 3)
        try log.expect(["after old 2 new 3"])
    }

    @Test("An update whose closure replaces the wrapper ends, and writes where the property is stored then")
    func anUpdateThatReplacesTheWrapper() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.number, options: [.old, .new]) { _, _, change in log.append(change.told) }
        var attempts = 0
        try model.$number.update { number in
            attempts += 1
            if attempts > 2 { throw Failure() }
            model.resetNumber()
            number += 10
        }
        #expect(attempts == 1)
        #expect(model.number == 11)
        try log.expect(["after old 2 new 11"])
    }

    /// Properties whose values are types: the compiler may take such a value for one without a size.
    final class Kind: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var type: Int.Type = Int.self
        @AtomicObserved var either: Int.Type? = Int.self
    }

    @Test("An atomic property holds a type")
    func anAtomicPropertyHoldsAType() {
        let observations = ObservationController(observer: observer)
        for _ in 0..<200 {
            let kind = Kind()
            observations.observe(kind, \.type, options: .new) { _, _, change in log.append("\(change.newValue == Int.self)") }
            kind.type = Int.self
            kind.either = nil
            #expect(kind.type == Int.self)
            #expect(kind.either == nil)
        }
        #expect(log.removeAll().count { $0 == "true" } == 200)
    }

    struct Failure: Error {}

    /// An update that does something else first, and gives up if that goes on.
    private func update(_ body: @escaping (Model) -> Void, line: UInt = #line) throws -> Int {
        var attempts = 0
        try model.$number.update(line: line) { number throws(Failure) in
            attempts += 1
            if attempts > 2 { throw Failure() }
            body(model)
            number += 10
        }
        return attempts
    }

    @Test("Rule 36: an update that sets its own property ends: its result stands, both changes are told, and it is reported")
    func anUpdateThatSetsItsOwnProperty() throws {
        Warnings.listen()
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.number, options: [.old, .new]) { _, _, change in log.append(change.told) }
        let line: UInt = #line + 1
        let attempts = try update { $0.number += 1 }
        #expect(attempts == 1)
        #expect(model.number == 11)
        try log.expect(["after old 1 new 2", "after old 2 new 11"])
        let messages = Warnings.messages(line...line)
        #expect(messages.count == 1)
        #expect(messages.first?.contains("`Model.number`") ?? false)
        #expect(messages.first?.contains("update(_:)") ?? false)
        #expect(Warnings.about(line...line) == ["overwrittenChange 0"])
    }

    @Test("An update in an update of the same property ends, in whatever depth, observed or not", arguments: [false, true])
    func anUpdateInAnUpdate(isObserved: Bool) throws {
        Warnings.listen()
        let observations = ObservationController(observer: observer)
        if isObserved { observations.observe(model, \.number, options: [.old, .new]) { _, _, change in log.append(change.told) } }
        let attempts = try update { model in
            model.$number.update { number in
                model.$number.update { $0 += 100 }
                number += 1
            }
        }
        #expect(attempts == 1)
        #expect(model.number == 11)
        try log.expect(isObserved ? ["after old 1 new 101", "after old 101 new 2", "after old 2 new 11"] : [])
    }

    @Test("An update that throws after it has set its own property leaves what it set")
    func anUpdateThatSetsAndThrows() throws {
        #expect(throws: Failure.self) {
            try model.$number.update { _ in
                model.number = 3
                throw Failure()
            }
        }
        #expect(model.number == 3)
        // Nothing is left of it that would make the next one wrong.
        model.$number.update { $0 += 1 }
        #expect(model.number == 4)
    }

    @Test("A write of another thread during an update repeats it, also if the update has set its own property")
    func aWriteOfAnotherThreadDuringAnUpdate() throws {
        Warnings.listen()
        let model = model
        var attempts: [Int] = []
        model.$number.update { number in
            attempts.append(number)
            if attempts.count == 1 {
                model.number = 5
                OtherThread.run { model.number = 20 }
                model.number = 6
            }
            number += 1
        }
        #expect(attempts == [1, 6])
        #expect(model.number == 7)
    }
}
