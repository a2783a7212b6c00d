import SafeKVO
import SafeKVOTesting
import Testing

@Suite struct BatchTests {
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
    final class Observer {}
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

    // MARK: Kinds

    @Test("Rule 47: one change of a collection keeps its kind, more than one become a setting")
    func kindsOfCollections() throws {
        listen(to: model, \.items, as: "items")
        withBatchedChanges { model.insert(0) }
        try log.expect(["items after insertion new [0] at 0..<1"])
        withBatchedChanges {
            model.insert(-1)
            model.insert(-2)
        }
        try log.expect(["items after old [0, 1, 2, 3] new [-2, -1, 0, 1, 2, 3]"])
        withBatchedChanges {
            model.items = [5]
            model.insert(4)
        }
        try log.expect(["items after old [-2, -1, 0, 1, 2, 3] new [4, 5]"])
        withBatchedChanges {
            model.insert(3)
            model.items.append(6)
        }
        try log.expect(["items after old [4, 5] new [3, 4, 5, 6]"])
    }

    @Test("Rule 47: who came between two changes of a collection hears the second as it was")
    func kindsForALateObserver() throws {
        listen(to: model, \.items, as: "first")
        withBatchedChanges {
            model.insert(0)
            listen(to: model, \.items, as: "late", tag: "late")
            model.insert(-1)
        }
        try log.expect(["first after old [1, 2, 3] new [-1, 0, 1, 2, 3]", "late after insertion new [-1] at 0..<1"])
    }

    @Test("Rules 18, 47: kinds at the end of a path are kept for one change and become a setting for two")
    func kindsAtTheEndOfAPath() throws {
        final class Root: KeyValueObject {
            @Observed var model = Model()
        }
        let root = Root()
        listen(to: root, \.model.items, as: "items")
        withBatchedChanges { root.model.insert(0) }
        try log.expect(["items after insertion new [0] at 0..<1"])
        withBatchedChanges {
            root.model.insert(-1)
            root.model.insert(-2)
        }
        try log.expect(["items after old [0, 1, 2, 3] new [-2, -1, 0, 1, 2, 3]"])
        withBatchedChanges {
            root.model.insert(7)
            root.model = Model()
        }
        try log.expect(["items after old [-2, -1, 0, 1, 2, 3] new [1, 2, 3]"])
    }

    // MARK: Announcements by hand

    @Test("Rule 47: what is announced by hand belongs to the batch too")
    func announcementsByHand() throws {
        listen(to: model, \.foreign, [.old, .new, .prior], as: "foreign")
        withBatchedChanges {
            for value in 1...3 { model.withChange(of: \.foreign) { model.foreign = value } }
        }
        try log.expect(["foreign prior old 0", "foreign after old 0 new 3"])
    }

    @Test("Rules 5, 47: who was called before a change that was announced before the batch is not called so again")
    func aBatchInsideAPair() throws {
        let options: KeyValueObservingOptions = [.prior, .old, .new]
        listen(to: model, \.b, options, as: "b")
        listen(to: model, \.sum, options, as: "sum")
        model.willChangeValue(for: \.b)
        let announced = log.removeAll().sorted()
        #expect(announced == ["b prior old 0", "sum prior old 0"])
        withBatchedChanges {
            model.b = 1
            model.b = 2
        }
        model.didChangeValue(for: \.b)
        let heard = log.removeAll().sorted()
        #expect(heard == ["b after old 0 new 2", "sum after old 0 new 2"])
    }

    @Test("Rules 22, 47: of announcements that nest or overlap in a batch, the old value told is that before the first")
    func nestedAnnouncements() throws {
        listen(to: model, \.sum, as: "sum")
        withBatchedChanges {
            model.withChange(of: \.a) {
                model.a = 5
                model.b = 1
            }
        }
        withBatchedChanges {
            model.willChangeValue(for: \.a)
            model.foreign = 1
            model.willChangeValue(for: \.b)
            model.a = 6
            model.b = 2
        }
        withBatchedChanges {
            model.a = 7
            model.withChange(of: \.a) { model.a = 8 }
        }
        try log.expect(["sum after old 0 new 6", "sum after old 6 new 8", "sum after old 8 new 10"])
    }

    @Test("Rules 10, 22, 47: who registers inside an announcement in a batch has its own first old value")
    func registeringInsideAnAnnouncement() throws {
        listen(to: model, \.sum, as: "early")
        withBatchedChanges {
            model.withChange(of: \.a) {
                model.a = 5
                listen(to: model, \.sum, as: "late", tag: "late")
                model.b = 1
            }
        }
        try log.expect(["early after old 0 new 6", "late after old 5 new 6"])
    }

    @Test("Rules 21, 47: what is assigned silently after an announced change takes nothing from what is told of that")
    func aSilentAssignmentAfterAnAnnouncedChange() throws {
        listen(to: model, \.byHand, as: "change")
        observations.observe(model, \.byHand, tag: "value") { [log] _, value in log.append("value \(value)") }
        withBatchedChanges {
            model.withChange(of: \.byHand) { model.byHand = 1 }
            model.byHand = 1
        }
        try log.expect(["value 0", "change after old 0 new 1", "value 1"])
    }

    @Test("Rule 47: a pair that ends behind the batch is told at its end")
    func aPairAroundABatch() throws {
        listen(to: model, \.foreign, as: "foreign")
        listen(to: model, \.a, as: "a")
        model.withChange(of: \.foreign) {
            withBatchedChanges {
                model.foreign = 1
                model.a = 1
            }
            log.append("behind the batch")
        }
        try log.expect(["a after old 0 new 1", "behind the batch", "foreign after old 0 new 1"])
    }

    // MARK: Coming and going

    @Test("Rules 9, 47: an observer added in mid-batch hears of the changes that follow, from the value that it found")
    func anObserverAddedInMidBatch() throws {
        listen(to: model, \.a, as: "first")
        withBatchedChanges {
            model.a = 1
            listen(to: model, \.a, [.old, .new, .prior], as: "late", tag: "late")
            listen(to: model, \.sum, as: "sum")
            model.a = 2
            model.a = 3
            listen(to: model, \.a, as: "too late", tag: "too late")
        }
        try log.expect(["late prior old 1", "first after old 0 new 3", "late after old 1 new 3", "sum after old 1 new 3"])
    }

    @Test("Rules 9, 47: an observer of a path added in mid-batch hears of the objects that the path leads over by then")
    func anObserverOfAPathAddedInMidBatch() throws {
        listen(to: model, \.part.level, as: "first")
        let part = Part()
        withBatchedChanges {
            model.part = part
            listen(to: model, \.part.level, as: "late", tag: "late")
            part.level = 5
        }
        try log.expect(["first after old 0 new 5", "late after old 0 new 5"])
    }

    @Test("Rules 14, 47: a path whose last observer goes in mid-batch is followed again for the next one")
    func theLastObserverOfAPathGoesInMidBatch() throws {
        listen(to: model, \.part.level, as: "first")
        withBatchedChanges {
            model.part = Part()
            observations.unobserve(model)
        }
        listen(to: model, \.part.level, as: "next")
        model.part.level = 1
        try log.expect(["next after old 0 new 1"])
    }

    @Test("Rules 4, 47: an observer added in mid-batch gets its initial call at once")
    func anInitialCallInMidBatch() throws {
        withBatchedChanges {
            model.a = 1
            listen(to: model, \.a, [.initial, .old, .new], as: "late")
            log.append("registered")
            model.a = 2
        }
        try log.expect(["late initial new 1", "registered", "late after old 1 new 2"])
    }

    @Test("Rules 9, 47: an observer removed in mid-batch hears nothing")
    func anObserverRemovedInMidBatch() throws {
        listen(to: model, \.a, as: "goes", tag: "goes")
        listen(to: model, \.a, as: "stays")
        listen(to: model, \.sum, as: "sum")
        withBatchedChanges {
            model.a = 1
            observations.unobserve(model, \.a, tag: "goes")
            observations.unobserve(model, \.sum)
            model.a = 2
        }
        try log.expect(["stays after old 0 new 2"])
        withBatchedChanges {
            model.a = 3
            observations.unobserveAll()
        }
        try log.expect([])
        #expect(model.observerCount == 0)
    }

    @Test("Rules 9, 47: an observer removed by an earlier one at the end of the batch is not called")
    func anObserverRemovedAtTheEnd() throws {
        observations.observe(model, \.a, options: .new) { [log, observations] _, model, change in
            log.append("first \(change.told)")
            observations.unobserve(model, \.b)
            observations.observe(model, \.b, options: .new, tag: "new") { _, _, change in log.append("new \(change.told)") }
        }
        listen(to: model, \.b, as: "second")
        listen(to: model, \.b, as: "third", tag: "third")
        withBatchedChanges {
            model.b = 1
            model.a = 1
        }
        try log.expect(["first after new 1", "third after old 0 new 1"])
        observations.unobserveAll()
    }

    @Test("Rules 47, 48: an observation that replaces another in mid-batch takes its place and hears of what follows")
    func anObservationReplacedInMidBatch() throws {
        listen(to: model, \.a, as: "replaced")
        listen(to: model, \.a, as: "second", tag: "second")
        withBatchedChanges {
            model.a = 1
            listen(to: model, \.a, as: "replacing", ifAlreadyObserved: .replace)
            model.a = 2
        }
        try log.expect(["replacing after old 1 new 2", "second after old 0 new 2"])
    }

    @Test("Rules 32, 47: a subject that loses its last reference in mid-batch is told of, alive, and goes then")
    func aSubjectThatLosesItsLastReference() throws {
        let tracker = LifetimeTracker()
        let loose = ObservationController(observer: observer, retainsObserved: false)
        do {
            var model: Model? = tracker.track(Model())
            loose.observe(model, \.a, options: Self.both) { [log] _, model, change in log.append("a \(change.told), the getter \(model.a)")
            }
            loose.observe(model, \.sum, options: Self.both) { [log] _, _, change in log.append("sum \(change.told)") }
            withBatchedChanges {
                model?.a = 1
                model?.a = 2
                model = nil
                log.append("let go")
            }
        }
        try log.expect(["let go", "a after old 0 new 2, the getter 2", "sum after old 0 new 2"])
        try tracker.expectAllGone()
        #expect(loose.observations.isEmpty)
    }

    @Test("Rules 30, 47: an observer that dies in mid-batch is not called")
    func anObserverThatDies() throws {
        final class Mortal {
            private lazy var observations = ObservationController(observer: self)
            func follow(_ model: Model, _ log: EventLog<String>) {
                observations.observe(model, \.a, options: [.new, .prior]) { _, _, change in log.append("mortal \(change.told)") }
                observations.observe(model, \.sum, options: .new) { _, _, change in log.append("mortal \(change.told)") }
            }
        }
        let tracker = LifetimeTracker()
        listen(to: model, \.a, as: "stays")
        do {
            var mortal: Mortal? = tracker.track(Mortal())
            mortal?.follow(model, log)
            withBatchedChanges {
                model.a = 1
                mortal = nil
                model.a = 2
            }
        }
        try tracker.expectAllGone()
        try log.expect(["mortal prior", "stays after old 0 new 2"])
        #expect(model.observerCount == 1)
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
        listen(to: model, \.a, as: "a")
        listen(to: model, \.shared, as: "shared")
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
