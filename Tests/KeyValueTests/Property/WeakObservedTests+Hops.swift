import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Weak properties as hops of key paths, in computed properties, and in subclasses.
extension WeakObservedTests {
    @Test("Rule 14: it is a hop: replacing and removing the object is one change, and the former object is silent")
    func aHop() throws {
        node.parent = first
        watchName(\.parent?.name)
        first.name = "one"
        try log.expect(["prior old Optional(\"1\")", "after old Optional(\"1\") new Optional(\"one\")"])
        node.parent = second
        try log.expect(["prior old Optional(\"one\")", "after old Optional(\"one\") new Optional(\"2\")"])
        first.name = "stale"
        try log.expect([])
        #expect(first.observationRecords == (0, 0))
        node.parent = nil
        try log.expect(["prior old Optional(\"2\")", "after old Optional(\"2\") new nil"])
        node.parent = second
        second.name = "two"
        try log.expect([
            "prior old nil", "after old nil new Optional(\"2\")", "prior old Optional(\"2\")",
            "after old Optional(\"2\") new Optional(\"two\")",
        ])
    }

    @Test("Rule 14: two weak hops in one path are followed, and another weak property of the class is not")
    func twoHops() throws {
        let third = Node("3")
        (node.parent, first.parent) = (first, second)
        watchName(\.parent?.parent?.name, .new)
        (node.other, first.other, second.other) = (third, third, third)
        try log.expect([])
        second.name = "two"
        first.parent = third
        third.name = "three"
        try log.expect(["after new Optional(\"two\")", "after new Optional(\"3\")", "after new Optional(\"three\")"])
        node.parent = second
        try log.expect(["after new nil"])
        first.parent = second
        third.name = "stale"
        try log.expect([])
    }

    @Test("Rule 16: a path that goes round through weak references gives one call a change")
    func aRing() throws {
        (node.parent, first.parent) = (first, node)
        watchName(\.parent?.parent?.parent?.name, .new)
        node.parent = second
        try log.expect(["after new nil"])
        second.parent = node
        try log.expect(["after new Optional(\"2\")"])
    }

    @Test("Rule 14: an object that is deallocated behind a hop is silent, and the next object is followed")
    func aHopWhoseObjectIsDeallocated() throws {
        let tracker = LifetimeTracker()
        var parent: Node? = tracker.track(Node("parent"))
        node.parent = parent
        watchName(\.parent?.name, [.new])
        parent = nil
        try tracker.expectAllGone()
        try log.expect([])
        node.parent = first
        first.name = "one"
        try log.expect(["after new Optional(\"1\")", "after new Optional(\"one\")"])
    }

    @Test("Rule 13: a computed property that reads it is followed")
    func aComputedProperty() throws {
        final class Leaf: Node {
            var path: String { (parent.map { $0.name + "/" } ?? "") + name }
        }
        let leaf = Leaf("leaf")
        observations.observe(leaf, \.path, options: [.old, .new]) { [log] _, _, change in log.append(change.told) }
        leaf.parent = first
        first.name = "one"
        try log.expect(["after old leaf new 1/leaf", "after old 1/leaf new one/leaf"])
    }

    // MARK: Subclasses

    @Test("Rule 20: a subclass inherits it, and both spellings are one observation")
    func inherited() throws {
        final class Leaf: Node {}
        let leaf = Leaf("leaf")
        observations.observe(leaf as Node, \Node.parent, options: [.old, .new]) { [log] _, _, change in log.append(Self.told(change)) }
        let result = observations.observe(leaf, \Leaf.parent, options: .new) { [log] _, _, change in log.append(Self.told(change)) }
        #expect(result == .alreadyObserved)
        leaf.parent = first
        try log.expect(["after old nil new 1"])
    }

    @Test("Rule 20b: a subclass that adds `didSet` is heard, as a property and as a hop")
    func overriddenWithAnObserver() throws {
        final class Watching: Node {
            private(set) var sets = 0
            override var parent: Node? {
                didSet { sets += 1 }
            }
        }
        let watching = Watching("watching")
        watch(watching, \.parent)
        observations.observe(watching as Node, \.parent?.name, options: .new) { [log] _, _, change in log.append(change.told) }
        watching.parent = first
        #expect(log.removeAll().sorted() == ["after new Optional(\"1\")", "after old nil new 1", "prior old nil"])
        first.name = "one"
        try log.expect(["after new Optional(\"one\")"])
        #expect(watching.sets == 1)
    }

    @Test("Rule 20b: of a property that a subclass overrides, observers get what its getter returns")
    func overridden() throws {
        final class Adopted: Node {
            let home = Node("home")
            override var parent: Node? {
                get { super.parent ?? home }
                set { super.parent = newValue }
            }
        }
        let adopted = Adopted("adopted")
        watch(adopted, \.parent, [.initial, .prior, .old, .new])
        adopted.parent = first
        adopted.parent = nil
        try log.expect(["initial new home", "prior old home", "after old home new 1", "prior old 1", "after old 1 new home"])
    }
}
