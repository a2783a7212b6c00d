import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import Testing

/// Who may go when, of another system's objects, which raises where it is left out.
@Suite struct ForeignLifetimeTests {
    let runtime = CocoaRuntime()
    let tracker = LifetimeTracker()
    let log = EventLog<String>()

    /// An object that observes, and does something as it goes.
    final class Node: CocoaObject, AutomaticObserver, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        let observationSlot = ObservationSlot()
        var onDeinit: ((Node) -> Void)?

        init(_ runtime: CocoaRuntime) { super.init(runtime, ["a": 1, "b": 2, "next": nil]) }

        deinit { onDeinit?(self) }

        func controller(retaining: Bool) -> ObservationController<Node> { retaining ? observations : nonRetainingObservations }
    }

    func expectSettled() {
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rule 32: an object that is not retained and goes first is unregistered before it is gone", arguments: ["a", "next.a"])
    func anObjectThatGoesFirstIsUnregistered(path: String) {
        let observer = Node(runtime)
        do {
            let object = tracker.track(Node(runtime))
            object.set(Node(runtime), forKey: "next")
            observer.nonRetainingObservations.observe(object, path, as: Int?.self) { _, _, _ in }
            #expect(object.registrationCount == 1)
        }
        #expect(tracker.survivors == [])
        #expect(observer.nonRetainingObservations.unobserveAll() == 0)
        expectSettled()
    }

    @Test("Rule 32: an object on the way goes first")
    func anObjectOnTheWayGoesFirst() throws {
        let (object, observer) = (Node(runtime), Node(runtime))
        do {
            let next = tracker.track(Node(runtime))
            object.set(next, forKey: "next")
            observer.observations.observe(object, "next.a", as: Int?.self) { [log] _, _, change in
                log.append("\(change.newValue.flatMap { $0 } ?? -1)")
            }
        }
        // As a weak property does, without a word.
        object.store(nil, forKey: "next")
        try tracker.expectAllGone()
        object.set(Node(runtime), forKey: "next")
        try log.expect(["1"])
        observer.observations.unobserveAll()
        expectSettled()
    }

    @Test("An object on the way that is replaced is unregistered while it is there, not in its dealloc, when Cocoa would still read it")
    func anObjectThatIsReplacedIsUnregisteredBefore() throws {
        let (object, observer) = (Node(runtime), Node(runtime))
        let person = CocoaObject(runtime, ["name": "a"])
        func named() -> CocoaObject { tracker.track(CocoaDoubleTests.Named(runtime, ["person": person])) }
        object.set(named(), forKey: "next")
        observer.observations.observe(object, "next.name", as: String?.self) { [log] _, _, change in
            log.append(change.newValue.flatMap { $0 } ?? "none")
        }
        object.set(named(), forKey: "next")
        person.set("b", forKey: "name")
        object.set(nil, forKey: "next")
        try log.expect(["a", "b", "none"])
        try tracker.expectAllGone()
        observer.observations.unobserveAll()
        #expect(person.registrationCount == 0)
        expectSettled()
    }

    @Test("Rule 31: an object that observes itself is not retained, and is unregistered", arguments: ["a", "next.a"], [true, false])
    func anObjectMayObserveItself(path: String, retaining: Bool) throws {
        do {
            let node = tracker.track(Node(runtime))
            node.set(Node(runtime), forKey: "next")
            node.controller(retaining: retaining).observe(node, path, as: Int?.self) { [log] _, _, change in
                log.append("\(change.newValue.flatMap { $0 } ?? -1)")
            }
            node.set(5, forKey: "a")
            (node.value(forKey: "next") as? CocoaObject)?.set(6, forKey: "a")
        }
        try tracker.expectAllGone()
        try log.expect([path == "a" ? "5" : "6"])
        expectSettled()
    }

    @Test(
        "Rules 32 and 35: in its deinit an object may be removed, tells nobody anything, and is not observed any more",
        arguments: [true, false])
    func inItsDeinitAnObjectTellsNobody(wasObserved: Bool) throws {
        let observer = Node(runtime)
        do {
            let object = tracker.track(Node(runtime))
            if wasObserved {
                observer.nonRetainingObservations.observe(object, "a", as: Int.self) { [log] _, _, _ in log.append("heard") }
                observer.nonRetainingObservations.observe(object, "b", as: Int.self) { [log] _, _, _ in log.append("heard") }
            }
            object.onDeinit = { [log] object in
                object.set(7, forKey: "a")
                log.append("removed \(observer.nonRetainingObservations.unobserve(object, "a"))")
                object.set(8, forKey: "a")
                object.set(8, forKey: "b")
                let again = observer.nonRetainingObservations.observe(object, "a", as: Int.self) { _, _, _ in }
                let other = observer.observations.observe(object, "next.a", as: Int?.self, options: [.initial, .new]) { _, _, _ in }
                let own = object.observations.observe(object, "a", as: Int.self) { _, _, _ in }
                log.append("\(again), \(other), \(own)")
            }
        }
        try log.expect([
            "removed \(wasObserved ? 1 : 0)",
            "\(Array(repeating: ObservationResult.refused(.objectDeinitialized), count: 3).map { "\($0)" }.joined(separator: ", "))",
        ])
        try tracker.expectAllGone()
        expectSettled()
    }

    @Test("Rule 35: an object in its deinit may be an observer that is refused")
    func anObserverInItsDeinitIsRefused() throws {
        let object = Node(runtime)
        do {
            let observer = Node(runtime)
            observer.onDeinit = { [log] observer in
                log.append("\(observer.observations.observe(object, "a", as: Int.self) { _, _, _ in })")
            }
        }
        try log.expect(["\(ObservationResult.refused(.observerDeinitialized))"])
        expectSettled()
    }

    @Test("Two objects may observe each other without retaining, and go in either order", arguments: [true, false])
    func twoObjectsMayObserveEachOther(firstGoesFirst: Bool) throws {
        var (first, second): (Node?, Node?) = (tracker.track(Node(runtime)), tracker.track(Node(runtime)))
        first?.nonRetainingObservations.observe(second, "a", as: Int.self) { [log] _, _, _ in log.append("first") }
        second?.nonRetainingObservations.observe(first, "a", as: Int.self) { [log] _, _, _ in log.append("second") }
        first?.set(2, forKey: "a")
        if firstGoesFirst { first = nil } else { second = nil }
        first?.set(3, forKey: "a")
        second?.set(3, forKey: "a")
        try log.expect(["second"])
        (first, second) = (nil, nil)
        try tracker.expectAllGone()
        expectSettled()
    }

    @Test("A new object at the address of one that is gone is not taken for it")
    func aNewObjectIsNotTakenForTheOldOne() throws {
        let observer = Node(runtime)
        for number in 0..<200 {
            let object = Node(runtime)
            let result = observer.nonRetainingObservations.observe(object, "a", as: Int.self) { [log] _, _, change in
                log.append("\(number) \(change.newValue ?? -1)")
            }
            #expect(result == .added)
            object.set(number, forKey: "a")
        }
        try log.expect((0..<200).map { "\($0) \($0)" })
        expectSettled()
    }

    @Test("Observing and unobserving inside Cocoa's own registering is done when that has returned, once")
    func registeringIsReentrant() {
        final class Reentrant: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) one thread uses it.
            var onRegister: ((String) -> Void)?
            override func willRegister(forKey key: String) { onRegister?(key) }
        }
        let object = Reentrant(runtime, ["a": 1, "b": 2])
        let observer = Node(runtime)
        object.onRegister = { [log] key in
            log.append(key)
            guard key == "a" else { return }
            observer.observations.observe(object, "b", as: Int.self) { [log] _, _, _ in log.append("b heard") }
            // Before it is registered.
            log.append("removed \(observer.observations.unobserve(object, "a"))")
        }
        observer.observations.observe(object, "a", as: Int.self) { [log] _, _, _ in log.append("a heard") }
        #expect(log.removeAll() == ["a", "removed 1", "b"])
        object.set(2, forKey: "a")
        object.set(2, forKey: "b")
        #expect(log.removeAll() == ["b heard"])
        #expect(object.registrationCount == 1)
        observer.observations.unobserveAll()
        expectSettled()
    }

    @Test("Removing, and letting go of everything, inside the initial call", arguments: ["remove", "object", "observer", "invalidate"])
    func endingInsideTheInitialCall(how: String) throws {
        var observer: Node? = tracker.track(Node(runtime))
        var object: Node? = tracker.track(Node(runtime))
        weak let weakObject = object
        try #require(observer).nonRetainingObservations.observe(object, valuesOf: "a", as: Int.self) { [log] node, value in
            log.append("\(value)")
            switch how {
            case "remove": node.nonRetainingObservations.unobserve(weakObject, "a")
            case "invalidate": node.nonRetainingObservations.invalidate()
            case "object": object = nil
            default: observer = nil
            }
        }
        object?.set(2, forKey: "a")
        try log.expect(["1"])
        (observer, object) = (nil, nil)
        try tracker.expectAllGone()
        expectSettled()
    }

    @Test("Rule 34: the last reference may go with the removal, and take the object with it")
    func theObjectMayGoWithTheRemoval() throws {
        let observer = Node(runtime)
        do { observer.observations.observe(tracker.track(Node(runtime)), "a", as: Int.self) { _, _, _ in } }
        #expect(tracker.survivors.count == 1)
        #expect(observer.observations.unobserveAll() == 1)
        try tracker.expectAllGone()
        expectSettled()
    }

    @Test("Nothing of an object that is no longer observed is left but its token")
    func nothingIsLeft() {
        let object = Node(runtime)
        let observer = Node(runtime)
        for _ in 0..<100 {
            observer.observations.observe(object, "a", as: Int.self) { _, _, _ in }
            observer.observations.observe(object, "next.a", as: Int?.self) { _, _, _ in }
            observer.observations.unobserve(object)
        }
        #expect(ForeignSubject.existing(for: object, of: runtime)?.observationRecords ?? (1, 1) == (0, 0))
        #expect(object.registrationCount == 0)
        expectSettled()
    }
}
