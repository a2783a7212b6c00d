import Observation
import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// `@WeakObserved`: a weak reference whose assignments notify.
@Suite struct WeakObservedTests {
    class Node: KeyValueObject {
        @Observed var name: String
        @WeakObserved var parent: Node?
        @WeakObserved final var other: Node?
        @WeakObserved private(set) final var owner: Node?
        init(_ name: String) { self.name = name }
        func belong(to node: Node?) { owner = node }
    }

    final class Observer {}

    let node = Node("node")
    let first = Node("1")
    let second = Node("2")
    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() { observations = ObservationController(observer: observer) }

    /// Tells a change of a reference by the names of the objects; "nil" is a present nil.
    static func told(_ change: KeyValueChange<Node?>) -> String {
        let name = { (value: Node??) in value.map { $0?.name ?? "nil" } }
        let phase = change.isInitial ? "initial" : change.isPrior ? "prior" : "after"
        return [phase, name(change.oldValue).map { "old \($0)" }, name(change.newValue).map { "new \($0)" }].compactMap(\.self)
            .joined(separator: " ")
    }

    func watch(
        _ node: Node, _ keyPath: KeyPath<Node, Node?>, _ options: KeyValueObservingOptions = [.prior, .old, .new]
    ) {
        observations.observe(node, keyPath, options: options) { [log] _, _, change in log.append(Self.told(change)) }
    }

    func watchName(_ keyPath: KeyPath<Node, String?>, _ options: KeyValueObservingOptions = [.prior, .old, .new]) {
        observations.observe(node, keyPath, options: options) { [log] _, _, change in log.append(change.told) }
    }

    // MARK: The property

    @Test("Rules 2, 4, 5: an assignment is a change, with the options that were asked for")
    func assignments() throws {
        watch(node, \.parent, [.initial, .prior, .old, .new])
        node.parent = first
        node.parent = second
        node.parent = nil
        try log.expect([
            "initial new nil", "prior old nil", "after old nil new 1", "prior old 1", "after old 1 new 2", "prior old 2",
            "after old 2 new nil",
        ])
        observations.unobserveAll()
        watch(node, \.parent, [])
        node.parent = first
        try log.expect(["after"])
    }

    @Test("Rule 6: an equal reference notifies; an observation that removes duplicates leaves it out")
    func equalReferences() throws {
        node.parent = first
        watch(node, \.parent, .new)
        observations.observe(node, \.parent, options: .new, removing: .duplicates(by: ===), tag: "filtered") { [log] _, _, change in
            log.append("filtered \(Self.told(change))")
        }
        node.parent = first
        node.parent = second
        try log.expect(["after new 1", "after new 2", "filtered after new 2"])
    }

    @Test("Two weak properties of one object are told apart")
    func twoProperties() throws {
        watch(node, \.parent, .new)
        node.other = first
        try log.expect([])
        node.parent = second
        try log.expect(["after new 2"])
    }

    @Test("Rule 12: an exchange of two properties is one change of each")
    func exchange() throws {
        (node.parent, node.other) = (first, second)
        watch(node, \.parent, [.old, .new])
        watch(node, \.other, [.old, .new])
        swap(&node.parent, &node.other)
        #expect(log.removeAll().sorted() == ["after old 1 new 2", "after old 2 new 1"])
        #expect(node.parent === second && node.other === first)
    }

    @Test("A setter that is private is observed all the same")
    func aPrivateSetter() throws {
        watch(node, \.owner)
        node.belong(to: first)
        try log.expect(["prior old nil", "after old nil new 1"])
    }

    @Test("Rules 21, 23: a manual notification, also of a property without automatic ones, is one change")
    func manualNotifications() throws {
        final class Silent: Node {
            override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Node.parent }
        }
        let silent = Silent("silent")
        for node in [node, silent] {
            watch(node, \.parent)
            node.withChange(of: \.parent) {
                node.parent = first
                node.parent = second
            }
            try log.expect(["prior old nil", "after old nil new 2"])
        }
        silent.parent = first
        try log.expect([])
        #expect(silent.parent === first)
    }

    @Test("Rule 47: a batch gives one change, with the value before it")
    func batches() throws {
        node.parent = first
        watch(node, \.parent, [.old, .new])
        withBatchedChanges {
            node.parent = nil
            node.parent = second
            try? log.expect([])
        }
        try log.expect(["after old 1 new 2"])
    }

    @Test("Rule 20c: an observer of the whole object hears it")
    func theEntireObject() throws {
        observations.observe(node, \.self, options: []) { [log] _, _, _ in log.append("change") }
        node.parent = first
        node.name = "other"
        node.parent = nil
        try log.expect(["change", "change", "change"])
    }

    @Test("Swift's Observation tracks it in a class that is `Observable`")
    func swiftObservation() {
        final class Leaf: KeyValueObservable, Observable {
            let keyValueRegistrar = KeyValueRegistrar()
            @WeakObserved var parent: Node?
        }
        let leaf = Leaf()
        let count = Mutex(0)
        withObservationTracking {
            _ = leaf.parent
        } onChange: {
            count.withLock { $0 += 1 }
        }
        leaf.parent = first
        leaf.parent = second
        #expect(count.withLock { $0 } == 1)
    }

    // MARK: Lifetimes

    @Test("Rule 14: neither the property nor its observers keep the object alive")
    func nothingIsKeptAlive() throws {
        let tracker = LifetimeTracker()
        watch(node, \.parent)
        watchName(\.parent?.name)
        observations.observe(node, \.parent?.parent, options: [.prior, .old, .new]) { _, _, _ in }
        do {
            let (parent, grandparent) = (tracker.track(Node("parent")), tracker.track(Node("grandparent")))
            parent.parent = grandparent
            node.parent = parent
            withExtendedLifetime((parent, grandparent)) {}
        }
        try tracker.expectAllGone()
        #expect(node.parent == nil)
    }

    @Test("An object that is deallocated makes the property nil without a notification; the next change has nil as its old value")
    func deallocationIsSilent() throws {
        var parent: Node? = Node("parent")
        node.parent = parent
        watch(node, \.parent)
        watchName(\.parent?.name, .new)
        parent = nil
        try log.expect([])
        #expect(node.parent == nil)
        node.parent = first
        #expect(log.removeAll().sorted() == ["after new Optional(\"1\")", "after old nil new 1", "prior old nil"])
    }

    @Test("Rule 2: an object that nobody else keeps is the new value of its change, and is gone afterwards")
    func anObjectThatNobodyKeeps() throws {
        watch(node, \.parent)
        node.parent = Node("brief")
        node.parent = first
        try log.expect(["prior old nil", "after old nil new brief", "prior old nil", "after old nil new 1"])
    }

    @Test("Rule 32: an object that clears references to itself in its `deinit` is never handed over")
    func clearedInADeinit() throws {
        final class Parent: Node {
            weak var child: Node?
            deinit { child?.parent = nil }
        }
        do {
            let parent = Parent("parent")
            (parent.child, node.parent) = (node, parent)
            watch(node, \.parent)
            watchName(\.parent?.name, .new)
            withExtendedLifetime(parent) {}
        }
        #expect(log.removeAll().sorted() == ["after new nil", "after old nil new nil", "prior old nil"])
        node.parent = first
        #expect(log.removeAll().sorted() == ["after new Optional(\"1\")", "after old nil new 1", "prior old nil"])
    }

    @Test("Rule 32: an assignment in the owner's own `deinit` notifies nobody")
    func assignedInTheOwnersDeinit() throws {
        final class Leaf: Node {
            deinit { parent = nil }
        }
        let loose = ObservationController(observer: observer, retainsObserved: false)
        do {
            let leaf = Leaf("leaf")
            leaf.parent = first
            loose.observe(leaf, \.parent, options: [.prior, .old, .new]) { [log] _, _, change in log.append(Self.told(change)) }
            loose.observe(leaf, \.parent?.name, options: .new) { [log] _, _, change in log.append(change.told) }
        }
        try log.expect([])
        #expect(first.observationRecords == (0, 0))
    }

    @Test("Rule 32: an observed object that is deallocated ends its observations while its parent lives on")
    func theObservedObjectGoesFirst() throws {
        do {
            let child = Node("child")
            child.parent = first
            let loose = ObservationController(observer: observer, retainsObserved: false)
            loose.observe(child, \.parent?.name) { _, _ in }
            #expect(first.observerCount > 0)
        }
        #expect(first.observationRecords == (0, 0))
        first.name = "alone"
    }

    // MARK: Isolation

    @MainActor @Suite struct OnTheMainActor {
        @MainActor final class View: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var title: String
            @WeakObserved private(set) var superview: View?
            init(_ title: String) { self.title = title }
            func move(to view: View?) { superview = view }
        }
        @MainActor final class Observer {
            private(set) var heard: [String] = []
            lazy var observations = ObservationController(observer: self)
            func watch(_ view: View) {
                observations.observe(view, \.superview?.title) { $0.heard.append($1 ?? "nil") }
                observations.observe(view, \.superview, options: .old) { $0.heard.append("old \($2.oldValue??.title ?? "nil")") }
            }
        }

        @Test("Rule 40: a class on the main actor has weak properties, observed by plain handlers")
        func aClassOnTheMainActor() {
            let (view, first, second) = (View("view"), View("1"), View("2"))
            let observer = Observer()
            observer.watch(view)
            view.move(to: first)
            view.move(to: second)
            first.title = "stale"
            second.title = "two"
            #expect(observer.heard.sorted() == ["1", "2", "nil", "old 1", "old nil", "two"])
        }
    }
}
