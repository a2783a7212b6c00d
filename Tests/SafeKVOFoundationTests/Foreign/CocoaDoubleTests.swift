import CocoaDouble
import SafeKVO
import TestSupport
import Testing

/// The double of Cocoa's observing, driven directly: it answers each misuse as COCOA-KVO's table says.
@Suite struct CocoaDoubleTests {
    /// Writes down what it is told.
    final class Listener: CocoaObserver {
        var told: [[CocoaChangeKey: Any]] = []
        var contexts: [UInt] = []
        var onChange: (() -> Void)?

        override func observeValue(
            forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt
        ) -> Bool {
            told.append(change)
            contexts.append(context)
            onChange?()
            return true
        }
    }

    let runtime = CocoaRuntime()
    let listener = Listener()

    func makeObject(_ values: [String: Any?] = ["a": 1]) -> CocoaObject { CocoaObject(runtime, values) }

    @Test("Removing an observer that was never added raises")
    func removingWhatWasNeverAddedRaises() {
        makeObject().removeObserver(listener, forKeyPath: "a", context: 0)
        #expect(runtime.exceptions == [.notRegistered(keyPath: "a")])
    }

    @Test("Removing twice raises")
    func removingTwiceRaises() {
        let object = makeObject()
        object.addObserver(listener, forKeyPath: "a", options: .new, context: 0)
        object.removeObserver(listener, forKeyPath: "a", context: 0)
        #expect(runtime.exceptions == [])
        object.removeObserver(listener, forKeyPath: "a", context: 0)
        #expect(runtime.exceptions == [.notRegistered(keyPath: "a")])
    }

    @Test("Removing with another context, or another observer, raises")
    func removingWithAnotherContextRaises() {
        let object = makeObject()
        object.addObserver(listener, forKeyPath: "a", options: .new, context: 1)
        object.removeObserver(listener, forKeyPath: "a", context: 2)
        object.removeObserver(Listener(), forKeyPath: "a", context: 1)
        #expect(runtime.exceptions == [.notRegistered(keyPath: "a"), .notRegistered(keyPath: "a")])
        object.removeObserver(listener, forKeyPath: "a", context: 1)
        #expect(object.registrationCount == 0)
    }

    @Test("A nested path whose middle is nil is removed without ado")
    func aNestedPathWithoutMiddleIsRemoved() {
        let object = makeObject(["b": nil])
        object.addObserver(listener, forKeyPath: "b.a", options: .new, context: 0)
        object.removeObserver(listener, forKeyPath: "b.a", context: 0)
        #expect(runtime.exceptions == [])
    }

    @Test("A nested path follows its middle")
    func aNestedPathFollowsItsMiddle() {
        let (first, second) = (makeObject(["a": 1]), makeObject(["a": 2]))
        let object = makeObject(["b": first])
        object.addObserver(listener, forKeyPath: "b.a", options: [.new, .old], context: 0)
        object.set(second, forKey: "b")
        first.set(3, forKey: "a")
        second.set(4, forKey: "a")
        #expect(listener.told.map { $0[.old] as? Int } == [1, 2])
        #expect(listener.told.map { $0[.new] as? Int } == [2, 4])
        object.removeObserver(listener, forKeyPath: "b.a", context: 0)
        #expect(runtime.exceptions == [])
    }

    @Test("Adding twice counts twice")
    func addingTwiceCountsTwice() {
        let object = makeObject()
        for _ in 1...2 { object.addObserver(listener, forKeyPath: "a", options: [], context: 0) }
        object.set(2, forKey: "a")
        #expect(listener.told.count == 2)
        object.removeObserver(listener, forKeyPath: "a", context: 0)
        object.set(3, forKey: "a")
        #expect(listener.told.count == 3)
        object.removeObserver(listener, forKeyPath: "a", context: 0)
    }

    @Test("An unknown key is accepted, and raises with an initial value, and is registered all the same")
    func anUnknownKeyRaisesWhenItIsRead() {
        let object = makeObject()
        object.addObserver(listener, forKeyPath: "x", options: [], context: 1)
        #expect(runtime.exceptions == [])
        object.addObserver(listener, forKeyPath: "x", options: [.initial, .new], context: 2)
        #expect(runtime.exceptions == [.unknownKey("x")])
        object.removeObserver(listener, forKeyPath: "x", context: 1)
        object.removeObserver(listener, forKeyPath: "x", context: 2)
        #expect(runtime.exceptions == [.unknownKey("x")])
    }

    @Test("An unknown nested key is accepted, and raises when it is evaluated")
    func anUnknownNestedKeyRaisesWhenItIsRead() {
        let object = makeObject(["b": makeObject()])
        object.addObserver(listener, forKeyPath: "b.x", options: .new, context: 0)
        #expect(runtime.exceptions == [])
        object.set(makeObject(), forKey: "b")
        #expect(runtime.exceptions == [.unknownKey("x")])
        object.removeObserver(listener, forKeyPath: "b.x", context: 0)
    }

    @Test("An observer without the callback raises at the first change")
    func anObserverWithoutTheCallbackRaises() {
        let object = makeObject()
        let deaf = CocoaObserver()
        object.addObserver(deaf, forKeyPath: "a", options: [], context: 0)
        #expect(runtime.exceptions == [])
        object.set(2, forKey: "a")
        #expect(runtime.exceptions == [.notHandled(keyPath: "a")])
        object.removeObserver(deaf, forKeyPath: "a", context: 0)
    }

    @Test("Removing inside the initial call raises")
    func removingInsideTheInitialCallRaises() {
        let object = makeObject()
        listener.onChange = { [listener] in object.removeObserver(listener, forKeyPath: "a", context: 0) }
        object.addObserver(listener, forKeyPath: "a", options: .initial, context: 0)
        #expect(runtime.exceptions == [.notYetRegistered(keyPath: "a")])
        listener.onChange = nil
        object.removeObserver(listener, forKeyPath: "a", context: 0)
    }

    @Test("Removing inside an ordinary call is fine, and no call follows")
    func removingInsideACallIsFine() {
        let object = makeObject()
        listener.onChange = { [listener] in object.removeObserver(listener, forKeyPath: "a", context: 0) }
        object.addObserver(listener, forKeyPath: "a", options: [], context: 0)
        object.set(2, forKey: "a")
        object.set(3, forKey: "a")
        #expect(listener.told.count == 1)
        #expect(runtime.exceptions == [])
    }

    @Test("An object that is deallocated while observed raises")
    func anObjectDeallocatedWhileObservedRaises() {
        makeObject().addObserver(listener, forKeyPath: "a", options: [], context: 0)
        #expect(runtime.exceptions == [.deallocatedWhileObserved(keyPaths: ["a"])])
    }

    @Test("did without will tells nothing; will, will, did, did tells once, or twice as Apple's users report", arguments: [true, false])
    func announcementsNest(merges: Bool) {
        let object = CocoaObject(CocoaRuntime(mergesNestedChanges: merges), ["a": 1])
        object.addObserver(listener, forKeyPath: "a", options: [], context: 0)
        object.didChangeValue(forKey: "a")
        #expect(listener.told.isEmpty)
        object.willChangeValue(forKey: "a")
        object.willChangeValue(forKey: "a")
        object.didChangeValue(forKey: "a")
        #expect(listener.told.count == (merges ? 0 : 1))
        object.didChangeValue(forKey: "a")
        #expect(listener.told.count == (merges ? 1 : 2))
        object.removeObserver(listener, forKeyPath: "a", context: 0)
    }

    @Test("Who is removed between will and did is not called")
    func whoIsRemovedBetweenIsNotCalled() {
        let object = makeObject()
        object.addObserver(listener, forKeyPath: "a", options: [], context: 0)
        object.willChangeValue(forKey: "a")
        object.removeObserver(listener, forKeyPath: "a", context: 0)
        object.didChangeValue(forKey: "a")
        #expect(listener.told.isEmpty)
        #expect(runtime.exceptions == [])
    }

    @Test("An insertion that is announced and not carried out raises if its new elements are asked for")
    func anInsertionNotCarriedOutRaises() {
        let object = makeObject(["list": [1, 2]])
        object.addObserver(listener, forKeyPath: "list", options: .new, context: 0)
        object.willChange(.insertion, valuesAt: RangeSet(2..<3), forKey: "list")
        object.didChange(.insertion, valuesAt: RangeSet(2..<3), forKey: "list")
        #expect(runtime.exceptions == [.outOfRange(key: "list")])
        object.removeObserver(listener, forKeyPath: "list", context: 0)
    }

    @Test("Observing an array itself raises")
    func observingAnArrayRaises() {
        CocoaArray(runtime, ["count": 0]).addObserver(listener, forKeyPath: "count", options: [], context: 0)
        #expect(runtime.exceptions == [.notSupported(keyPath: "count")])
    }

    @Test("The dictionary holds what was asked for; nil is a null")
    func theDictionaryHoldsWhatWasAskedFor() {
        let object = makeObject(["a": 1, "list": [1, 2, 3]])
        object.addObserver(listener, forKeyPath: "a", options: [.new, .old, .prior], context: 7)
        object.set(nil, forKey: "a")
        #expect(listener.told.map { Set($0.keys) } == [[.kind, .old, .notificationIsPrior], [.kind, .old, .new]])
        #expect(listener.told.last?[.new] is CocoaNull)
        #expect(listener.contexts == [7, 7])
        object.removeObserver(listener, forKeyPath: "a", context: 7)
        listener.told = []
        object.addObserver(listener, forKeyPath: "list", options: [.new, .old], context: 7)
        object.willChange(.removal, valuesAt: RangeSet(0..<2), forKey: "list")
        object.store([3], forKey: "list")
        object.didChange(.removal, valuesAt: RangeSet(0..<2), forKey: "list")
        #expect(listener.told.map { Set($0.keys) } == [[.kind, .old, .indexes]])
        #expect(listener.told.first?[.old] as? [Int] == [1, 2])
        object.removeObserver(listener, forKeyPath: "list", context: 7)
        #expect(runtime.exceptions == [])
    }

    @Test("The last registered is called first; equal values are told, at once, on the same thread")
    func theLastRegisteredIsCalledFirst() {
        let object = makeObject()
        for context in [1, 2, 3] as [UInt] { object.addObserver(listener, forKeyPath: "a", options: [], context: context) }
        object.set(1, forKey: "a")
        #expect(listener.contexts == [3, 2, 1])
        for context in [1, 2, 3] as [UInt] { object.removeObserver(listener, forKeyPath: "a", context: context) }
    }

    @Test("Two threads at the registrations of one object are noticed")
    func twoThreadsAreNoticed() {
        final class Meeting: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) used as the test says.
            override func willRegister(forKey key: String) {
                guard key == "a" else { return }
                OtherThread.run { self.addObserver(CocoaObserver(), forKeyPath: "b", options: [], context: 1) }
            }
        }
        let object = Meeting(runtime, ["a": 1, "b": 1])
        object.addObserver(listener, forKeyPath: "a", options: [], context: 0)
        #expect(runtime.exceptions == [.usedByTwoThreads(keyPath: "b")])
        object.removeObserver(listener, forKeyPath: "a", context: 0)
    }

    @Test("A weak reference in dealloc, and reading there, are noticed")
    func usesInDeallocAreNoticed() {
        final class Dying: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) it adds nothing.
            deinit {
                runtime.tie(CocoaNull.null, to: self)
                _ = value(forKey: "a")
            }
        }
        do { _ = Dying(runtime, ["a": 1]) }
        #expect(runtime.exceptions == [.weakReferenceInDealloc, .readInDealloc(key: "a")])
    }

    /// Its `name` is that of another object.
    class Named: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) it adds nothing.
        override var computedKeys: Set<String> { ["name"] }

        override func computedValue(forKey key: String) -> Any? { (value(forKey: "person") as? CocoaObject)?.value(forKey: "name") }

        override func keysAffectingValue(forKey key: String) -> Set<String> { key == "name" ? ["person.name"] : [] }
    }

    @Test("A value that depends on a key path through another object follows it; removed in dealloc, the object is asked for the other one")
    func aDependentKeyPathIsFollowed() {
        let (first, second) = (makeObject(["name": "a"]), makeObject(["name": "b"]))
        do {
            let object = Named(runtime, ["person": first])
            object.addObserver(listener, forKeyPath: "name", options: .new, context: 0)
            first.set("c", forKey: "name")
            object.set(second, forKey: "person")
            first.set("d", forKey: "name")
            second.set("e", forKey: "name")
            #expect(listener.told.map { $0[.new] as? String } == ["c", "b", "e"])
            #expect([first, second].map(\.registrationCount) == [0, 1])
            object.removeObserver(listener, forKeyPath: "name", context: 0)
            #expect(second.registrationCount == 0)
            #expect(runtime.exceptions == [])
        }
        final class Dying: Named, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) it adds nothing.
            let listener = Listener()
            deinit { removeObserver(listener, forKeyPath: "name", context: 0) }
        }
        do {
            let object = Dying(runtime, ["person": first])
            object.addObserver(object.listener, forKeyPath: "name", options: .new, context: 0)
        }
        #expect(runtime.exceptions == [.readInDealloc(key: "person")])
    }
}
