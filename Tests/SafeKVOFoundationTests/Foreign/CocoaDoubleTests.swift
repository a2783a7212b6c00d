import CocoaDouble
import Foundation
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// Each misuse of Cocoa's observing, and each case of which its documentation does not say the end: done with the double, which must answer
/// as Cocoa was seen to do, and then through the controller, which must keep the program from it.
///
/// The tests are the rows of this table, in its order, each with the text of its row.
///
/// | row | Cocoa | the controller |
/// |---|---|---|
/// | remove an observer that was never added | raises | 0 |
/// | remove twice | raises | 1, then 0 |
/// | remove with another context, or another observer | raises | 0 |
/// | remove a nested path whose middle is nil | fine | 1 |
/// | add the same observer and key path twice | both count | the second is ignored |
/// | add an unknown key, options none | accepted, silent | accepted, reported |
/// | add an unknown key with initial and new | raises, is registered | an initial call without a value |
/// | add an unknown nested key | raises when it is read | the same as for an unknown key |
/// | the observer does not implement the callback | raises at the first change | its own observer does |
/// | remove inside the initial call | raises | 1 |
/// | remove inside an ordinary call | fine, no call follows | the same |
/// | a subject that is deallocated while it is observed | raises, or is silent | its observations end |
/// | did without will | nothing | nothing |
/// | will, will, did, did on one key | one call, or two | as many |
/// | removed between will and did | not called | not called |
/// | an insertion that is not carried out | raises if its elements are asked for | a setting |
/// | observing an array itself | raises | accepted, reported |
/// | the change dictionary | what was asked for; nil is a null | the same, typed |
/// | the order among observers of one key | the last first | the first first |
/// | an equal value is set | told | told |
/// | a change on any thread | on that thread, at once | the same |
/// | adding and removing from two threads on one object | crashes, or loses registrations | one thread does both |
/// | a context that is the address of a freed object | handed back as it is | a new object at an address is not taken for the old one |
/// | a weak reference to an object in its dealloc | aborts | refused |
@Suite struct CocoaDoubleTests: CocoaSuite, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    let runtime = CocoaRuntime()
    let direct = CocoaListener()
    let listener = ForeignListener()
    let observations: ObservationController<ForeignListener>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: listener)
    }

    func makeObject(_ values: [String: Any?] = ["a": 1]) -> CocoaObject { CocoaObject(runtime, values) }

    /// What the double has raised since this was asked last.
    func expectRaised(_ exceptions: CocoaException..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(runtime.takeExceptions() == exceptions, sourceLocation: sourceLocation)
    }

    // MARK: The rows of registrations and lives; those of changes continue in another file

    @Test("Remove an observer that was never added")
    func removeWhatWasNeverAdded() {
        let object = makeObject()
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        expectRaised(.notRegistered(keyPath: "a"))
        #expect(observations.unobserve(object, "a") == 0)
        // The registration of another observer is no reason to end it.
        let others = ObservationController(observer: listener)
        others.log(object, "a", as: Int.self)
        #expect(observations.unobserve(object, "a") == 0)
        #expect(object.registrationCount == 1)
        others.unobserveAll()
        expectSafe()
    }

    @Test("Remove twice")
    func removeTwice() {
        let object = makeObject()
        object.addObserver(direct, forKeyPath: "a", options: .new, context: 0)
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        expectRaised()
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        expectRaised(.notRegistered(keyPath: "a"))
        observations.log(object, "a", as: Int.self)
        #expect(observations.unobserve(object, "a") == 1)
        #expect(observations.unobserve(object, "a") == 0)
        #expect(object.registrationCount == 0)
        expectSafe()
    }

    @Test("Remove with another context, or another observer")
    func removeWithAnotherContext() throws {
        let object = makeObject()
        object.addObserver(direct, forKeyPath: "a", options: .new, context: 1)
        object.removeObserver(direct, forKeyPath: "a", context: 2)
        object.removeObserver(CocoaListener(), forKeyPath: "a", context: 1)
        expectRaised(.notRegistered(keyPath: "a"), .notRegistered(keyPath: "a"))
        object.removeObserver(direct, forKeyPath: "a", context: 1)
        #expect(object.registrationCount == 0)
        observations.log(object, "a", as: Int.self, tag: "1")
        #expect(observations.unobserve(object, "a", tag: "2") == 0)
        #expect(ObservationController(observer: listener).unobserve(object, "a", tag: "1") == 0)
        object.set(2, forKey: "a")
        try log.expect(["setting new 2"])
        expectSafe()
    }

    @Test("Remove a nested path whose middle is nil")
    func removeANestedPathWithoutMiddle() {
        let object = makeObject(["b": nil])
        object.addObserver(direct, forKeyPath: "b.a", options: .new, context: 0)
        object.removeObserver(direct, forKeyPath: "b.a", context: 0)
        expectRaised()
        observations.log(object, "b.a", as: Int?.self)
        #expect(observations.unobserve(object, "b.a") == 1)
        #expect(object.registrationCount == 0)
        expectSafe()
    }

    @Test("Add the same observer and key path twice")
    func addTwice() throws {
        let object = makeObject()
        for _ in 1...2 { object.addObserver(direct, forKeyPath: "a", options: [], context: 0) }
        object.set(2, forKey: "a")
        #expect(direct.told.count == 2)
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        object.set(3, forKey: "a")
        #expect(direct.told.count == 3)
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        expectRaised()
        #expect([0, 1].map { _ in observations.log(object, "a", as: Int.self) } == [.added, .alreadyObserved])
        object.set(4, forKey: "a")
        try log.expect(["setting new 4"])
        #expect(observations.unobserve(object, "a") == 1)
        #expect(object.registrationCount == 0)
        expectSafe()
    }

    @Test("Add an unknown key, options none; and with initial and new")
    func addAnUnknownKey() throws {
        let object = makeObject()
        object.addObserver(direct, forKeyPath: "x", options: [], context: 1)
        expectRaised()
        object.addObserver(direct, forKeyPath: "x", options: [.initial, .new], context: 2)
        expectRaised(.unknownKey("x"))
        object.removeObserver(direct, forKeyPath: "x", context: 1)
        object.removeObserver(direct, forKeyPath: "x", context: 2)
        expectRaised()
        #expect(observations.log(object, "x", as: Int?.self, options: []) == .added)
        #expect(observations.log(object, "x", as: Int?.self, options: [.initial, .new], tag: "2") == .added)
        try log.expect(["setting initial"])
        expectSafe()
    }

    @Test("Add an unknown nested key with the middle set")
    func addAnUnknownNestedKey() throws {
        let object = makeObject(["b": makeObject()])
        object.addObserver(direct, forKeyPath: "b.x", options: .new, context: 0)
        expectRaised()
        object.set(makeObject(), forKey: "b")
        expectRaised(.unknownKey("x"))
        object.removeObserver(direct, forKeyPath: "b.x", context: 0)
        observations.log(object, "b.x", as: Int?.self)
        object.set(makeObject(), forKey: "b")
        try log.expect(["setting"])
        expectSafe()
    }

    @Test("The observer does not implement the callback")
    func anObserverWithoutTheCallback() throws {
        let object = makeObject()
        let deaf = CocoaObserver()
        object.addObserver(deaf, forKeyPath: "a", options: [], context: 0)
        expectRaised()
        // Another one's exception is not ours, and keeps no call from ours.
        observations.log(object, "a", as: Int.self)
        object.set(2, forKey: "a")
        expectRaised(.notHandled(keyPath: "a"))
        object.removeObserver(deaf, forKeyPath: "a", context: 0)
        object.set(3, forKey: "a")
        try log.expect(["setting new 2", "setting new 3"])
        expectSafe()
    }

    @Test("Remove inside the initial call")
    func removeInsideTheInitialCall() throws {
        let object = makeObject()
        direct.onChange = { [direct] in object.removeObserver(direct, forKeyPath: "a", context: 0) }
        object.addObserver(direct, forKeyPath: "a", options: .initial, context: 0)
        expectRaised(.notYetRegistered(keyPath: "a"))
        direct.onChange = nil
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        observations.observe(object, "a", as: Int.self, options: [.initial, .new]) { [unowned observations] listener, object, _ in
            listener.log.append("removed \(observations.unobserve(object, "a"))")
        }
        object.set(2, forKey: "a")
        try log.expect(["removed 1"])
        #expect(object.registrationCount == 0)
        expectSafe()
    }

    @Test("Remove inside an ordinary call")
    func removeInsideACall() throws {
        let object = makeObject()
        direct.onChange = { [direct] in object.removeObserver(direct, forKeyPath: "a", context: 0) }
        object.addObserver(direct, forKeyPath: "a", options: [], context: 0)
        for number in 2...3 { object.set(number, forKey: "a") }
        #expect(direct.told.count == 1)
        expectRaised()
        observations.observe(object, "a", as: Int.self) { [unowned observations] listener, object, _ in
            listener.log.append("removed \(observations.unobserve(object, "a"))")
        }
        for number in 4...5 { object.set(number, forKey: "a") }
        try log.expect(["removed 1"])
        expectSafe()
    }

    @Test("The subject is deallocated while it is observed", arguments: [true, false])
    func theSubjectIsDeallocated(raises: Bool) throws {
        let runtime = CocoaRuntime(raisesInDealloc: raises)
        CocoaObject(runtime, ["a": 1]).addObserver(direct, forKeyPath: "a", options: [], context: 0)
        #expect(runtime.takeExceptions() == (raises ? [.deallocatedWhileObserved(keyPaths: ["a"])] : []))
        let observations = ObservationController(observer: listener, retainsObserved: false)
        do {
            let object = CocoaObject(runtime, ["a": 1])
            observations.log(object, "a", as: Int.self)
            object.set(2, forKey: "a")
        }
        try log.expect(["setting new 2"])
        #expect(observations.unobserveAll() == 0)
        #expect(runtime.registrations.made == 1)
        #expect(runtime.registrations.ended == 1)
        #expect(runtime.exceptions == [])
    }
}
