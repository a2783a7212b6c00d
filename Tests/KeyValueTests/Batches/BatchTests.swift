import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@MainActor @Suite struct BatchTests {
    final class Part: KeyValueObject {
        @Observed var level = 0
    }
    final class Model: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the tests never use a model on two threads at once.
        @Observed var a = 0
        @Observed var b = 0
        @Observed var items = [1, 2, 3]
        @Observed var part = Part()
        @AtomicObserved var shared = 0
        @Observed var byHand = 0
        var foreign = 0
        var sum: Int { a + b }

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Model.byHand }

        func insert(_ item: Int) {
            withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) { items.insert(item, at: 0) }
        }
    }
    final class Observer: Sendable {}
    struct Refusal: Error, Equatable {}

    static let both: KeyValueObservingOptions = [.old, .new]

    let model = Model()
    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    func listen<Object: KeyValueObservable, Value>(
        to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = both, as name: String,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore
    ) {
        observations.observe(object, keyPath, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved) { [log] _, _, change in
            log.append("\(name) \(change.told)")
        }
    }

    // MARK: One call

    @Test("Rule 47: at the end of a batch there is one call per observation and key, with the first old and the last new value")
    func oneCallForEachKey() throws {
        listen(to: model, \.a, as: "a")
        listen(to: model, \.b, as: "b")
        let result = withBatchedChanges {
            for value in 1...3 { model.a = value }
            model.b = 7
            model.a += 1
            log.append("end of the body")
            return "result"
        }
        #expect(result == "result")
        try log.expect(["end of the body", "a after old 0 new 4", "b after old 0 new 7"])
        model.a = 5
        try log.expect(["a after old 4 new 5"])
    }

    @Test("Rule 47: a batch that changes nothing tells nothing")
    func anEmptyBatch() throws {
        listen(to: model, \.a, [.old, .new, .prior], as: "a")
        withBatchedChanges {}
        model.withBatchedChanges { _ = model.a }
        try log.expect([])
    }

    @Test("Rule 47: only the end of the outermost batch tells")
    func batchesNest() throws {
        listen(to: model, \.a, as: "a")
        withBatchedChanges {
            model.a = 1
            model.withBatchedChanges {
                model.a = 2
                withBatchedChanges { model.a = 3 }
                log.append("inner")
            }
            log.append("outer")
        }
        try log.expect(["inner", "outer", "a after old 0 new 3"])
    }

    @Test("Rule 47: a batch whose body throws tells too, and the error comes through")
    func aThrowingBatch() throws {
        listen(to: model, \.a, as: "a")
        let error = #expect(throws: Refusal.self) {
            try withBatchedChanges { () throws(Refusal) in
                model.a = 1
                try model.withBatchedChanges { () throws(Refusal) in
                    model.a = 2
                    throw Refusal()
                }
            }
        }
        #expect(error == Refusal())
        try log.expect(["a after old 0 new 2"])
        model.a = 3
        try log.expect(["a after old 2 new 3"])
    }

    @Test("Rule 47: the prior call comes once, at the first change")
    func thePriorCallComesOnce() throws {
        listen(to: model, \.a, [.old, .new, .prior], as: "a")
        listen(to: model, \.b, [.prior], as: "b")
        withBatchedChanges {
            for value in 1...2 {
                log.append("a = \(value)")
                model.a = value
                log.append("b = \(value)")
                model.b = value
            }
        }
        try log.expect(["a = 1", "a prior old 0", "b = 1", "b prior", "a = 2", "b = 2", "a after old 0 new 2", "b after"])
    }

    @Test("Rule 47: observers of the keys of one object are called in the order in which they registered")
    func theOrderOfRegistration() throws {
        let other = Model()
        listen(to: model, \.b, as: "1 b")
        listen(to: other, \.a, as: "2 other a")
        listen(to: model, \.a, as: "3 a")
        listen(to: model, \.sum, as: "4 sum")
        listen(to: model, \.b, as: "5 b", tag: "second")
        listen(to: model, \.part.level, as: "6 level")
        listen(to: model, \.a, as: "7 a", tag: "second")
        listen(to: other, \.b, as: "8 other b")
        withBatchedChanges {
            other.b = 1
            model.part.level = 1
            model.a = 1
            other.a = 1
            model.b = 1
        }
        let heard = log.removeAll()
        #expect(
            heard.filter { !$0.contains("other") } == [
                "1 b after old 0 new 1", "3 a after old 0 new 1", "4 sum after old 0 new 2", "5 b after old 0 new 1",
                "6 level after old 0 new 1", "7 a after old 0 new 1",
            ])
        #expect(heard.filter { $0.contains("other") } == ["2 other a after old 0 new 1", "8 other b after old 0 new 1"])
    }

    @Test("Rules 16, 47: derived and nested paths get one call, whatever changed on the way")
    func derivedAndNestedPaths() throws {
        listen(to: model, \.sum, [.old, .new, .prior], as: "sum")
        listen(to: model, \.part.level, [.old, .new, .prior], as: "level")
        withBatchedChanges {
            model.a = 1
            model.b = 2
            model.a = 3
            model.part.level = 1
            let part = Part()
            part.level = 5
            model.part = part
            part.level = 6
        }
        try log.expect(["sum prior old 0", "level prior old 0", "sum after old 0 new 5", "level after old 0 new 6"])
        model.part.level = 7
        try log.expect(["level prior old 6", "level after old 6 new 7"])
    }

    @Test("Rule 47: removing duplicates leaves out a round trip, and without it a round trip is told")
    func aRoundTrip() throws {
        observations.observe(model, \.a, options: Self.both, removing: .duplicates, tag: "unique") { [log] _, _, change in
            log.append("unique \(change.told)")
        }
        observations.observe(model, \.sum, options: Self.both, removing: .duplicates) { [log] _, _, change in
            log.append("sum \(change.told)")
        }
        listen(to: model, \.a, as: "all")
        withBatchedChanges {
            model.a = 1
            model.b = -1
            model.a = 0
            model.b = 0
        }
        try log.expect(["all after old 0 new 0"])
        withBatchedChanges {
            model.a = 1
            model.a = 2
        }
        try log.expect(["unique after old 0 new 2", "sum after old 0 new 2", "all after old 0 new 2"])
    }

    @Test("Rule 47: the value form gets the last value once")
    func theValueForm() throws {
        observations.observe(model, \.a) { [log] _, a in log.append("a \(a)") }
        observations.observe(model, \.sum) { [log] _, sum in log.append("sum \(sum)") }
        withBatchedChanges {
            model.a = 1
            model.b = 2
            model.a = 3
        }
        try log.expect(["a 0", "sum 0", "a 3", "sum 5"])
    }

    // MARK: Handlers

    @Test("Rules 11, 47: a set in a handler at the end of a batch is a change of its own, delivered at once")
    func aSetAtTheEnd() throws {
        observations.observe(model, \.a, options: Self.both) { [log] _, model, change in
            log.append("a \(change.told)")
            if model.a < 10 { model.a = 10 }
            if model.b < 10 { model.b = 10 }
            log.append("a done")
        }
        listen(to: model, \.b, as: "b")
        listen(to: model, \.a, as: "second a", tag: "second")
        withBatchedChanges {
            model.b = 1
            model.a = 1
        }
        try log.expect([
            "a after old 0 new 1", "a after old 1 new 10", "b after old 1 new 10", "a done", "second a after old 1 new 10", "a done",
            "b after old 0 new 1", "second a after old 0 new 1",
        ])
    }

    @Test("Rule 47: a batch in a handler tells at its own end")
    func aBatchInAHandler() throws {
        observations.observe(model, \.a, options: .new) { [log] _, model, change in
            log.append("a \(change.told)")
            withBatchedChanges {
                model.b += 1
                model.b += 1
                log.append("end of the inner body")
            }
            log.append("a done")
        }
        listen(to: model, \.b, as: "b")
        model.a = 1
        try log.expect(["a after new 1", "end of the inner body", "b after old 0 new 2", "a done"])
        withBatchedChanges { model.a = 2 }
        try log.expect(["a after new 2", "end of the inner body", "b after old 2 new 4", "a done"])
    }

    @Test("Rule 47: a batch in a prior handler tells at its own end, or with the batch that it is in")
    func aBatchInAPriorHandler() throws {
        observations.observe(model, \.a, options: [.new, .prior]) { [log] _, model, change in
            log.append("a \(change.told)")
            guard change.isPrior else { return }
            withBatchedChanges {
                model.b += 1
                model.b += 1
            }
            log.append("prior done")
        }
        listen(to: model, \.b, as: "b")
        model.a = 1
        try log.expect(["a prior", "b after old 0 new 2", "prior done", "a after new 1"])
        withBatchedChanges { model.a = 2 }
        try log.expect(["a prior", "prior done", "a after new 2", "b after old 2 new 4"])
    }

    // MARK: Threads

    @Test("Rule 47: changes that another thread makes meanwhile are told at once")
    func otherThreads() throws {
        observations.observe(model, \.a, options: Self.both, on: .anyThread { [log] _, _, change in log.append("a \(change.told)") })
        observations.observe(
            model, \.shared, options: Self.both, on: .anyThread { [log] _, _, change in log.append("shared \(change.told)") })
        withBatchedChanges {
            model.a = 1
            model.shared = 1
            OtherThread.run { [model, log] in
                model.b = 1
                model.a = 5
                model.shared = 6
                log.append("the other thread is done")
            }
            log.append("end of the body")
        }
        let heard = log.removeAll()
        #expect(
            Array(heard.prefix(4)) == ["a after old 1 new 5", "shared after old 1 new 6", "the other thread is done", "end of the body"])
        #expect(heard.count == 6)
    }

    @Test("Rules 36, 47: an atomic property gets one call for a batch, from the first value replaced to the last one written")
    func anAtomicProperty() throws {
        listen(to: model, \.shared, [.old, .new, .prior], as: "shared")
        withBatchedChanges {
            model.shared = 1
            model.shared += 1
            model.$shared.update { $0 *= 5 }
        }
        try log.expect(["shared prior old 0", "shared after old 0 new 10"])
        withBatchedChanges { model.shared = 11 }
        try log.expect(["shared prior old 10", "shared after old 10 new 11"])
    }
}
