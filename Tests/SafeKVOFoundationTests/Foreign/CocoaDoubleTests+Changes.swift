import CocoaDouble
import Foundation
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

// The rows of the table from changes on.
extension CocoaDoubleTests {
    @Test("did without will; will, will, did, did on one key: one call, or two as Apple's users report", arguments: [true, false])
    func announcementsNest(merges: Bool) throws {
        let runtime = CocoaRuntime(mergesNestedChanges: merges)
        let object = CocoaObject(runtime, ["a": 1])
        object.addObserver(direct, forKeyPath: "a", options: [], context: 0)
        observations.log(object, "a", as: Int.self)
        object.didChangeValue(forKey: "a")
        #expect(direct.told.isEmpty)
        try log.expect([])
        object.willChangeValue(forKey: "a")
        object.willChangeValue(forKey: "a")
        object.didChangeValue(forKey: "a")
        #expect(direct.told.count == (merges ? 0 : 1))
        try log.expect(merges ? [] : ["setting new 1"])
        object.didChangeValue(forKey: "a")
        #expect(direct.told.count == (merges ? 1 : 2))
        try log.expect(["setting new 1"])
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
        #expect(object.registrationCount == 0)
    }

    @Test("Removed between will and did")
    func removedBetweenWillAndDid() throws {
        let object = makeObject()
        object.addObserver(direct, forKeyPath: "a", options: [], context: 0)
        observations.log(object, "a", as: Int.self)
        object.willChangeValue(forKey: "a")
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        observations.unobserve(object, "a")
        object.didChangeValue(forKey: "a")
        #expect(direct.told.isEmpty)
        try log.expect([])
        expectSafe()
    }

    @Test("An announced insertion that is not carried out, new asked for")
    func anInsertionNotCarriedOut() throws {
        let object = makeObject(["list": [1, 2]])
        object.addObserver(direct, forKeyPath: "list", options: .new, context: 0)
        object.edit(.insertion, at: 2, to: [1, 2])
        expectRaised(.outOfRange(key: "list"))
        object.removeObserver(direct, forKeyPath: "list", context: 0)
        observations.log(object, "list", as: [Int].self)
        object.edit(.insertion, at: 2, to: [1, 2])
        try log.expect(["setting new [1, 2]"])
        expectSafe()
    }

    @Test("Observing an array itself")
    func observingAnArray() throws {
        let array = CocoaArray(runtime, ["count": 0])
        array.addObserver(direct, forKeyPath: "count", options: [], context: 0)
        expectRaised(.notSupported(keyPath: "count"))
        #expect(observations.log(array, "count", as: Int?.self, options: [.initial, .new]) == .added)
        try log.expect(["setting initial"])
        #expect(observations.unobserve(array, "count") == 1)
        expectSafe()
    }

    struct Size: Equatable { var width = 0 }

    @Test("The change dictionary: kind always; old, new, indexes, prior only as asked; nil is a null; numbers and structures are boxed")
    func theChangeDictionary() throws {
        let object = makeObject(["a": 1, "list": [1, 2, 3], "size": Size()])
        for (context, options) in [(1, []), (7, [.new, .old, .prior])] as [(UInt, CocoaOptions)] {
            object.addObserver(direct, forKeyPath: "a", options: options, context: context)
        }
        object.set(nil, forKey: "a")
        #expect(direct.told.map { Set($0.keys) } == [[.kind, .old, .notificationIsPrior], [.kind, .old, .new], [.kind]])
        #expect(direct.told[1][.old] as? Int == 1)
        #expect(direct.told[1][.new] is CocoaNull)
        #expect(direct.contexts == [7, 7, 1])
        for context in [1, 7] as [UInt] { object.removeObserver(direct, forKeyPath: "a", context: context) }
        direct.told = []
        for key in ["list", "size"] { object.addObserver(direct, forKeyPath: key, options: [.new, .old], context: 7) }
        object.edit(.removal, at: 0, 1, to: [3])
        object.set(Size(width: 1), forKey: "size")
        #expect(direct.told.map { Set($0.keys) } == [[.kind, .old, .indexes], [.kind, .old, .new]])
        #expect(direct.told[0][.old] as? [Int] == [1, 2])
        #expect(direct.told[1][.new] as? Size == Size(width: 1))
        for key in ["list", "size"] { object.removeObserver(direct, forKeyPath: key, context: 7) }
        expectRaised()
        observations.log(object, "a", as: Int?.self, options: [.new, .old, .prior])
        observations.log(object, "a", as: Int?.self, options: [], tag: "none")
        observations.log(object, "list", as: [Int].self, options: [.new, .old])
        observations.log(object, "size", as: Size.self, options: [.new, .old])
        object.set(2, forKey: "a")
        object.edit(.removal, at: 0, to: [])
        object.set(Size(width: 2), forKey: "size")
        try log.expect([
            "setting prior old nil", "setting old nil new Optional(2)", "setting", "removal old [3] at [0]",
            "setting old Size(width: 1) new Size(width: 2)",
        ])
        expectSafe()
    }

    @Test("The order among observers of one key; an equal value is set")
    func theOrderAmongObservers() throws {
        let object = makeObject()
        for context in [1, 2, 3] as [UInt] { object.addObserver(direct, forKeyPath: "a", options: [], context: context) }
        object.set(1, forKey: "a")
        #expect(direct.contexts == [3, 2, 1])
        for context in [1, 2, 3] as [UInt] { object.removeObserver(direct, forKeyPath: "a", context: context) }
        expectRaised()
        for tag in ["1", "2", "3"] {
            observations.observe(object, "a", as: Int.self, tag: ObservationTag(tag)) { listener, _, _ in listener.log.append(tag) }
        }
        object.set(1, forKey: "a")
        try log.expect(["1", "2", "3"])
        expectSafe()
    }

    @Test("A change on any thread is told at once, on that thread")
    func aChangeOnAnyThread() {
        let object = makeObject()
        let threads = EventLog<ObjectIdentifier>()
        direct.onChange = { threads.append(ObjectIdentifier(Thread.current)) }
        object.addObserver(direct, forKeyPath: "a", options: [], context: 0)
        observations.observe(object, "a", as: Int.self, isolation: nil) { _, _, _ in threads.append(ObjectIdentifier(Thread.current)) }
        OtherThread.run {
            object.set(2, forKey: "a")
            #expect(threads.removeAll() == Array(repeating: ObjectIdentifier(Thread.current), count: 2))
        }
        #expect(threads.events.isEmpty)
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        expectSafe()
    }

    @Test("Adding and removing from two threads on one object")
    func twoThreadsOnOneObject() throws {
        final class Meeting: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) set before threads use it.
            var onOther: (@Sendable () -> Void)?
            override func willRegister(forKey key: String) {
                if key == "a", let onOther { OtherThread.run(onOther) }
            }
        }
        let object = Meeting(runtime, ["a": 1, "b": 1])
        object.onOther = { [unowned object, direct] in object.addObserver(direct, forKeyPath: "b", options: [], context: 1) }
        object.addObserver(direct, forKeyPath: "a", options: [], context: 0)
        expectRaised(.usedByTwoThreads(keyPath: "b"))
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        object.removeObserver(direct, forKeyPath: "b", context: 1)
        let other = SharedObservationController(observer: listener)
        object.onOther = { [unowned object, runtime] in
            let registration = Registration(.closure, [.initial, .new], nil, .ignore, nil, #fileID, #line, nil)
            _ = other.observe(object, of: runtime, ForeignKeyPath("b"), registration) {
                (listener, _: CocoaObject, change: KeyValueChange<Int>) in listener.log.append("b \(change.newValue ?? -1)")
            }
            // Nobody is registered with Cocoa yet.
            object.set(2, forKey: "b")
        }
        observations.log(object, "a", as: Int.self)
        #expect(object.registrationCount == 2)
        object.set(3, forKey: "b")
        try log.expect(["b 1", "b 2", "b 3"])
        other.unobserveAll()
        expectSafe()
    }

    @Test("The context pointer is handed back as it is, also the address of a freed object")
    func theContextPointer() throws {
        let object = makeObject()
        func address(of object: AnyObject) -> UInt {
            // SAFETY: no code reads memory through the address.
            unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        }
        let context = address(of: CocoaListener())
        object.addObserver(direct, forKeyPath: "a", options: [], context: context)
        object.set(2, forKey: "a")
        #expect(direct.contexts == [context])
        object.removeObserver(direct, forKeyPath: "a", context: context)
        expectRaised()
        // Each has the address of the one before, as a rule, and none is taken for it.
        for number in 0..<100 {
            let own = ForeignListener()
            let observations = ObservationController(observer: own)
            observations.observe(object, "a", as: Int.self) { listener, _, change in
                listener.log.append("\(number) \(change.newValue ?? -1)")
            }
            object.set(number, forKey: "a")
            try own.log.expect(["\(number) \(number)"])
            #expect(object.registrationCount == 1)
        }
        expectSafe()
    }

    @Test("A weak reference to an object that is in its dealloc; reading it then")
    func usesInDealloc() throws {
        final class Dying: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) one thread uses it.
            var onDeinit: ((Dying) -> Void)?
            deinit { onDeinit?(self) }
        }
        func die(_ onDeinit: @escaping (Dying) -> Void) { Dying(runtime, ["a": 1]).onDeinit = onDeinit }
        die { object in
            object.runtime.tie(CocoaNull.null, to: object)
            _ = object.value(forKey: "a")
        }
        expectRaised(.weakReferenceInDealloc, .readInDealloc(key: "a"))
        die { [observations] object in
            #expect(
                observations.log(object, "a", as: Int.self, options: [.initial, .new, .old]) == .refused(.objectDeinitialized))
            #expect(observations.unobserve(object, "a") == 0)
        }
        try log.expect([])
        expectSafe()
    }

    // MARK: What the rows build upon

    @Test("A nested path follows its middle")
    func aNestedPathFollowsItsMiddle() {
        let (first, second) = (makeObject(["a": 1]), makeObject(["a": 2]))
        let object = makeObject(["b": first])
        object.addObserver(direct, forKeyPath: "b.a", options: [.new, .old], context: 0)
        object.set(second, forKey: "b")
        first.set(3, forKey: "a")
        second.set(4, forKey: "a")
        #expect(direct.told.map { $0[.old] as? Int } == [1, 2])
        #expect(direct.told.map { $0[.new] as? Int } == [2, 4])
        object.removeObserver(direct, forKeyPath: "b.a", context: 0)
        #expect(runtime.exceptions == [])
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
            object.addObserver(direct, forKeyPath: "name", options: .new, context: 0)
            first.set("c", forKey: "name")
            object.set(second, forKey: "person")
            first.set("d", forKey: "name")
            second.set("e", forKey: "name")
            #expect(direct.told.map { $0[.new] as? String } == ["c", "b", "e"])
            #expect([first, second].map(\.registrationCount) == [0, 1])
            object.removeObserver(direct, forKeyPath: "name", context: 0)
            #expect(second.registrationCount == 0)
            #expect(runtime.exceptions == [])
        }
        final class Dying: Named, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) it adds nothing.
            let own = CocoaListener()
            deinit { removeObserver(own, forKeyPath: "name", context: 0) }
        }
        do {
            let object = Dying(runtime, ["person": first])
            object.addObserver(object.own, forKeyPath: "name", options: .new, context: 0)
        }
        #expect(runtime.exceptions == [.readInDealloc(key: "person")])
    }
}
