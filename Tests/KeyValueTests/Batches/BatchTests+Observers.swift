import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Observers and subjects that come and go in mid-batch.
extension BatchTests {
    @Test("Rules 9, 47: an observer added in mid-batch hears of the changes that follow, from the value before the batch")
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
        try log.expect(["late prior old 1", "first after old 0 new 3", "late after old 0 new 3", "sum after old 1 new 3"])
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
        try log.expect(["replacing after old 0 new 2", "second after old 0 new 2"])
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

    @Test("Rule 47: who registers before the first change of a key is made, and changes the key then, is called at the end")
    func whoRegistersInAPriorCallAndChangesTheKey() throws {
        observations.observe(model, \.a, options: .prior, tag: "first") { [model, observations, log] _, _, change in
            guard change.isPrior else { return }
            observations.observe(model, \.a, options: [.initial, .new], tag: "second") { _, model, change in
                log.append("\(change.isInitial ? "initial" : "after") \(change.newValue ?? -1)")
                if change.isInitial { model.a = 1 }
            }
        }
        withBatchedChanges { model.a = 2 }
        try log.expect(["initial 0", "after 2"])
    }
}
