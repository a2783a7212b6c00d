import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// Nested paths through another system's objects, which are key paths like any other.
@Suite struct ForeignPathTests: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    let runtime = CocoaRuntime()
    let listener = ForeignListener()
    let tracker = LifetimeTracker()
    let observations: ObservationController<ForeignListener>
    var log: EventLog<String> { listener.log }

    init() {
        observations = ObservationController(observer: listener)
    }

    @Test("One key has one registration with the other system, whoever observes it")
    func oneKeyHasOneRegistration() throws {
        let (object, inner) = (CocoaObject(runtime, ["a": nil]), CocoaObject(runtime, ["b": 1, "c": 2]))
        object.set(inner, forKey: "a")
        for path in ["a", "a.b", "a.c"] { observations.log(object, path, as: Any?.self) }
        observations.log(inner, "b", as: Int.self)
        #expect([object, inner].map(\.registrationCount) == [1, 2])
        inner.set(3, forKey: "b")
        try log.expect(["setting new Optional(3)", "setting new 3"])
        observations.unobserveAll()
        #expect([object, inner].map(\.registrationCount) == [0, 0])
        #expect(runtime.exceptions == [])
    }

    @Test("Rule 18: the kind and the positions of a change pass through a path")
    func kindsPassThroughAPath() throws {
        let (object, inner) = (CocoaObject(runtime, ["a": nil]), CocoaObject(runtime, ["list": ["x"]]))
        object.set(inner, forKey: "a")
        observations.log(object, "a.list", as: [String].self, options: [.old, .new, .prior])
        inner.edit(.insertion, at: 1, to: ["x", "y"])
        try log.expect(["insertion prior at [1]", #"insertion new ["y"] at [1]"#])
        inner.edit(.removal, at: 0, to: ["y"])
        try log.expect([#"removal prior old ["x"] at [0]"#, #"removal old ["x"] at [0]"#])
        inner.set(["z"], forKey: "list")
        try log.expect([#"setting prior old ["y"]"#, #"setting old ["y"] new ["z"]"#])
    }

    @Test("Rule 13: the last value of a path is not kept alive, if it is an object")
    func theLastValueIsNotKept() throws {
        let (object, inner) = (CocoaObject(runtime, ["a": nil]), CocoaObject(runtime, ["b": nil]))
        object.set(inner, forKey: "a")
        observations.observe(object, "a.b", as: CocoaObject?.self, options: [.old, .new]) { listener, _, change in
            listener.log.append("\(change.oldValue.map { $0 == nil ? "nil" : "old" } ?? "absent")")
        }
        inner.set(tracker.track(CocoaObject(runtime, [:])), forKey: "b")
        inner.set(tracker.track(CocoaObject(runtime, [:])), forKey: "b")
        inner.store(nil, forKey: "b")
        try tracker.expectAllGone()
        object.set(nil, forKey: "a")
        try log.expect(["nil", "old", "nil"])
    }

    @Test("Rule 40: a change made elsewhere on a path is told at home, to those who get the newest value")
    @MainActor func aChangeElsewhereComesHome() async throws {
        let (object, inner) = (CocoaObject(runtime, ["a": nil]), CocoaObject(runtime, ["b": 1]))
        object.set(inner, forKey: "a")
        observations.observe(object, valuesOf: "a.b", as: Int?.self) { listener, value in
            MainActor.preconditionIsolated()
            listener.log.append("\(value ?? -1)")
        }
        OtherThread.run { inner.set(2, forKey: "b") }
        try log.expect(["1"])
        await until { !log.events.isEmpty }
        try log.expect(["2"])
        #expect(observations.counters.wrongIsolation == 0)
    }

    @Test("Rule 47: an object on the way that is replaced in a batch is unregistered before it is gone, at the end of the batch")
    func replacedInABatch() throws {
        let object = CocoaObject(runtime, ["a": nil])
        let person = CocoaObject(runtime, ["name": "x"])
        func put() { object.set(tracker.track(CocoaDoubleTests.Named(runtime, ["person": person])), forKey: "a") }
        put()
        observations.log(object, "a.name", as: String?.self, options: [.old, .new])
        withBatchedChanges {
            put()
            put()
            person.set("y", forKey: "name")
        }
        try log.expect([#"setting old Optional("x") new Optional("y")"#])
        #expect(person.registrationCount == 1)
        object.set(nil, forKey: "a")
        try tracker.expectAllGone()
        #expect(runtime.exceptions == [])
    }
}
