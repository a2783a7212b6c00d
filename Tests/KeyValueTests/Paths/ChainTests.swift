import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Paths of hops from object to object that end in a collection, or go on behind it.
@MainActor @Suite struct ChainTests {
    class Inner: KeyValueObject {
        @Observed var items = [1, 2, 3]
        @Observed var members: Set<Int> = [1]
        func insert(_ item: Int, at index: Int) {
            withChange(.insertion, valuesAt: RangeSet(index..<index + 1), of: \.items) { items.insert(item, at: index) }
        }
        func remove(at index: Int) {
            withChange(.removal, valuesAt: RangeSet(index..<index + 1), of: \.items) { _ = items.remove(at: index) }
        }
        func replace(at index: Int, with item: Int) {
            withChange(.replacement, valuesAt: RangeSet(index..<index + 1), of: \.items) { items[index] = item }
        }
    }
    final class SpecialInner: Inner {
        private(set) var changes = 0
        override var items: [Int] {
            didSet { changes += 1 }
        }
    }
    class Outer: KeyValueObject {
        @Observed var inner = Inner()
        @Observed var unwrapped: Inner! = Inner()
        @Observed var optional: Inner? = Inner()
        var computed: Inner { inner }
    }
    final class SpecialOuter: Outer {}
    final class PlainHeir: Inner {}
    final class Holder: KeyValueObject {
        @Observed var inner = PlainHeir()
        @Observed var unwrapped: PlainHeir! = PlainHeir()
    }
    final class Middle: KeyValueObject {
        @Observed var outer: Outer! = Outer()
    }
    final class Observer {}

    let outer = Outer()
    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() { observations = ObservationController(observer: observer) }

    func listen<Object: KeyValueObservable, Value>(
        to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = [.old, .new, .prior],
        tag: ObservationTag? = nil
    ) {
        observations.observe(object, keyPath, options: options, tag: tag) { [log] _, root, change in
            #expect(root === object)
            log.append(change.told)
        }
    }

    /// Changes the elements in each way, and what observers of a path to exactly the collection hear.
    func expectKinds(of inner: Inner) throws {
        inner.insert(9, at: 1)
        try log.expect(["prior insertion at 1..<2", "after insertion new [9] at 1..<2"])
        inner.remove(at: 0)
        try log.expect(["prior removal old [1] at 0..<1", "after removal old [1] at 0..<1"])
        inner.replace(at: 2, with: 7)
        try log.expect(["prior replacement old [3] at 2..<3", "after replacement old [3] new [7] at 2..<3"])
        inner.items = [1, 2, 3]
        try log.expect(["prior old [9, 2, 7]", "after old [9, 2, 7] new [1, 2, 3]"])
    }

    @Test("Rule 18: a path of plain hops to a collection keeps kinds and indexes")
    func plainHopsKeepKinds() throws {
        listen(to: outer, \.inner.items)
        try expectKinds(of: outer.inner)
    }

    @Test("Rule 18: so does one with a `!` on the way")
    func unwrappedHopsKeepKinds() throws {
        listen(to: outer, \.unwrapped.items)
        try expectKinds(of: outer.unwrapped)
    }

    @Test("Rule 18: so does a longer one with a `!` in the middle")
    func longerPathsKeepKinds() throws {
        let middle = Middle()
        listen(to: middle, \.outer.inner.items)
        try expectKinds(of: middle.outer.inner)
        observations.unobserveAll()
        listen(to: middle, \.outer.unwrapped.items)
        try expectKinds(of: middle.outer.unwrapped)
    }

    @Test("Rule 18: so does a key path that was put together from parts")
    func appendedPathsKeepKinds() throws {
        listen(to: outer, (\Outer.inner).appending(path: \.items))
        try expectKinds(of: outer.inner)
    }

    @Test("Rule 18: kinds are kept for objects of subclasses at either end, also where the property is overridden")
    func subclassesKeepKinds() throws {
        let special = SpecialOuter()
        let inner = SpecialInner()
        special.inner = inner
        listen(to: special, \SpecialOuter.inner.items)
        try expectKinds(of: inner)
        #expect(inner.changes == 4)
        observations.unobserveAll()
        listen(to: special as Outer, \Outer.inner.items)
        try expectKinds(of: inner)
    }

    @Test("Rule 18: kinds are kept where a hop's class inherits the next hop, plain or behind a `!`")
    func inheritedHopsKeepKinds() throws {
        let holder = Holder()
        listen(to: holder, \.inner.items)
        try expectKinds(of: holder.inner)
        observations.unobserve(holder)
        listen(to: holder, \.unwrapped.items)
        try expectKinds(of: holder.unwrapped)
        holder.mutableArrayValue(for: \.unwrapped.items).append(4)
        try log.expect(["prior insertion at 3..<4", "after insertion new [4] at 3..<4"])
    }

    @Test("Rule 18: kinds are kept on a path that a class has declared something to depend on")
    func declaredPathsKeepKinds() throws {
        final class Album: KeyValueObject {
            @Observed var inner = Inner()
            var summary: String { "album" }
            override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                key == \Album.summary ? [\Album.inner.items] : []
            }
        }
        let album = Album()
        observations.observe(album, \.summary, options: .new) { _, _, _ in }
        listen(to: album, \.inner.items, [.new])
        album.mutableArrayValue(for: \.inner.items).append(4)
        try log.expect(["after insertion new [4] at 3..<4"])
    }

    @Test("Rule 18: kinds are kept of an atomic collection, also after an object on the way was replaced")
    func atomicCollectionsKeepKinds() throws {
        final class Atoms: KeyValueObject { @AtomicObserved var items = [1] }
        final class Holder: KeyValueObject { @Observed var inner = Atoms() }
        let holder = Holder()
        listen(to: holder, \.inner.items, [.new])
        holder.mutableArrayValue(for: \.inner.items).append(2)
        try log.expect(["after insertion new [2] at 1..<2"])
        holder.inner = Atoms()
        try log.expect(["after new [1]"])
        holder.mutableArrayValue(for: \.inner.items).append(3)
        try log.expect(["after insertion new [3] at 1..<2"])
    }

    @Test("Rules 18, 28: a path to a set keeps the mutations")
    func setsKeepKinds() throws {
        listen(to: outer, \.inner.members)
        let inner = outer.inner
        inner.withChange(of: \.members, withSetMutation: .union, using: [1, 2]) { inner.members.insert(2) }
        inner.withChange(of: \.members, withSetMutation: .minus, using: [1]) { inner.members.remove(1) }
        try log.expect(["prior insertion", "after insertion new [2]", "prior removal old [1]", "after removal old [1]"])
    }

    @Test("Rules 14, 18: replacing an object on the way is one setting, after which the new object's kinds are kept")
    func replacingAnObjectOnTheWay() throws {
        listen(to: outer, \.inner.items)
        let (first, second) = (outer.inner, Inner())
        second.items = [4]
        outer.inner = second
        try log.expect(["prior old [1, 2, 3]", "after old [1, 2, 3] new [4]"])
        first.insert(0, at: 0)
        first.items = []
        try log.expect([])
        #expect(first.observerCount == 0)
        second.insert(5, at: 1)
        try log.expect(["prior insertion at 1..<2", "after insertion new [5] at 1..<2"])
    }

    @Test("Rules 12, 18: a change in place and an announced setting at the end of a path are settings")
    func settingsStaySettings() throws {
        listen(to: outer, \.inner.items)
        let inner = outer.inner
        inner.items.append(4)
        inner.withChange(of: \.items) { inner.items = [1] }
        inner.withChange(of: \.items) { inner.insert(0, at: 0) }
        try log.expect([
            "prior old [1, 2, 3]", "after old [1, 2, 3] new [1, 2, 3, 4]", "prior old [1, 2, 3, 4]", "after old [1, 2, 3, 4] new [1]",
            "prior old [1]", "after old [1] new [0, 1]",
        ])
    }

    @Test("Rule 18: what lies behind a collection sees settings with old and new")
    func behindACollection() throws {
        listen(to: outer.inner, \.items.count)
        listen(to: outer, \.inner.items.first)
        outer.inner.insert(0, at: 0)
        outer.inner.remove(at: 1)
        let heard = log.removeAll()
        #expect(
            heard.filter { !$0.contains("Optional") } == [
                "prior old 3", "after old 3 new 4", "prior old 4", "after old 4 new 3",
            ])
        #expect(
            heard.filter { $0.contains("Optional") } == [
                "prior old Optional(1)", "after old Optional(1) new Optional(0)", "prior old Optional(0)",
                "after old Optional(0) new Optional(0)",
            ])
    }

    @Test("Rule 18: the value form at the end of a path gets the whole value")
    func theValueFormGetsTheWholeValue() throws {
        observations.observe(outer, \.inner.items) { [log] _, items in log.append("\(items)") }
        outer.inner.insert(0, at: 0)
        outer.inner.remove(at: 1)
        outer.inner.replace(at: 0, with: 5)
        outer.inner.mutableArrayValue(for: \.items).append(4)
        try log.expect(["[1, 2, 3]", "[0, 1, 2, 3]", "[0, 2, 3]", "[5, 2, 3]", "[5, 2, 3, 4]"])
    }

    @Test("Rule 7: at the end of a path too each observer gets what it asked for")
    func optionsHold() throws {
        for (tag, options) in [("none", []), ("new", .new), ("old", .old)] as [(ObservationTag, KeyValueObservingOptions)] {
            observations.observe(outer, \.inner.items, options: options, tag: tag) { [log] _, _, change in
                log.append("\(tag) \(change.told)")
            }
        }
        outer.inner.replace(at: 0, with: 9)
        outer.inner.items = []
        try log.expect([
            "none after replacement at 0..<1", "new after replacement new [9] at 0..<1", "old after replacement old [1] at 0..<1",
            "none after", "new after new []", "old after old [9, 2, 3]",
        ])
    }

    @Test("Rule 26: a misfit at the end of a path is a setting there too")
    func aMisfitIsASetting() throws {
        Warnings.listen()
        listen(to: outer, \.inner.items)
        let inner = outer.inner
        let start: UInt = #line
        inner.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) {}
        #expect(Warnings.about(start...#line).allSatisfy { $0 == "unfulfilledAnnouncement 1" })
        try log.expect(["prior insertion at 0..<1", "after old [1, 2, 3] new [1, 2, 3]"])
    }

    // MARK: Five hops

    final class Node: KeyValueObject {
        @Observed var next: Node!
        @Observed var value: Int
        init(_ value: Int, next: Node? = nil) {
            self.value = value
            super.init()
            if let next { self.next = next }
        }

        static func chain(ending value: Int) -> [Node] {
            var nodes = [Node(value)]
            for _ in 1...4 { nodes.insert(Node(0, next: nodes.first), at: 0) }
            return nodes
        }
    }

    static let path = \Node.next.next.next.next.value

    @Test("Rule 14: a change anywhere on a path of five hops is one call", arguments: 0...4)
    func fiveHops(place: Int) throws {
        let nodes = Node.chain(ending: 1)
        let others = Node.chain(ending: 2)
        listen(to: nodes[0], Self.path)
        if place == 4 { nodes[4].value = 2 } else { nodes[place].next = others[place + 1] }
        try log.expect(["prior old 1", "after old 1 new 2"])
        for node in nodes { node.value += 10 }
        try log.expect(place == 4 ? ["prior old 2", "after old 2 new 12"] : [])
        if place < 4 {
            others[4].value = 3
            try log.expect(["prior old 2", "after old 2 new 3"])
            #expect(nodes.dropFirst(place + 1).map(\.observerCount) == Array(repeating: 0, count: 4 - place))
        }
        observations.unobserveAll()
        #expect((nodes + others).map(\.observerCount) == Array(repeating: 0, count: 10))
    }

    @Test("Rule 14: each object on the way is followed once, and a path that goes round in a ring tells once")
    func aRing() throws {
        let nodes = Node.chain(ending: 1)
        listen(to: nodes[0], Self.path, [.old, .new])
        listen(to: nodes[0], Self.path, [.old, .new], tag: "second")
        observations.unobserve(nodes[0], Self.path, tag: "second")
        nodes[0].next = nodes[0]
        try log.expect(["after old 1 new 0"])
        #expect(nodes.dropFirst().map(\.observerCount) == [0, 0, 0, 0])
        nodes[0].value = 5
        try log.expect(["after old 0 new 5"])
        nodes[0].next = nodes[1]
        try log.expect(["after old 5 new 1"])
        observations.unobserveAll()
        #expect(nodes.map(\.observerCount) == [0, 0, 0, 0, 0])
    }

    @Test("Rule 14: re-rooting a path leaves out an object in the middle, which goes")
    func leavingOutAnObject() throws {
        let tracker = LifetimeTracker()
        var nodes = Node.chain(ending: 1)
        nodes[4].next = Node(7)
        _ = tracker.track(nodes[2])
        let root = nodes[0]
        listen(to: root, Self.path, [.old, .new])
        nodes[1].next = nodes[3]
        nodes = []
        try log.expect(["after old 1 new 7"])
        try tracker.expectAllGone()
    }
}
