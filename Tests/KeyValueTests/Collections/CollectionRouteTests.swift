import SafeKVO
import TestSupport
import Testing

/// The ways in which a collection may be changed, and that each is heard once.
@MainActor @Suite struct CollectionRouteTests {
    let shelf = Shelf(items: [1, 2], tags: [1, 2])
    let ofItems = Listener<[Int]>()
    let ofTags = Listener<Set<Int>>()

    @Test("Rule 27: insertion tells what is new, removal what was old, replacement both; the indexes are told in both phases")
    func kindsTellTheirSides() {
        ofItems.listen(to: shelf, \.items, [.prior, .old, .new])
        let items = shelf.mutableArrayValue(for: \.items)
        items.insert(contentsOf: [8, 9], at: 1)
        items.remove(at: RangeSet([0..<1, 3..<4]))
        items[1] = 7
        #expect(
            ofItems.changes.map(\.told) == [
                "prior insertion at 1..<3", "after insertion new [8, 9] at 1..<3",
                "prior removal old [1, 2] at 0..<1 3..<4", "after removal old [1, 2] at 0..<1 3..<4",
                "prior replacement old [9] at 1..<2", "after replacement old [9] new [7] at 1..<2",
            ])
    }

    @Test("Rule 27: an assignment of the whole is a setting with whole values and no indexes")
    func anAssignmentIsASetting() {
        ofItems.listen(to: shelf, \.items, [.prior, .old, .new])
        shelf.items = [3]
        #expect(ofItems.changes.map(\.told) == ["prior old [1, 2]", "after old [1, 2] new [3]"])
    }

    @Test("Rule 29: each route to an array announces once")
    func eachRouteToAnArrayAnnouncesOnce() {
        ofItems.listen(to: shelf, \.items)
        shelf.mutableArrayValue(for: \.items).append(3)
        shelf.items.append(4)
        shelf.items = [5]
        shelf.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) { shelf.items.insert(4, at: 0) }
        shelf.withChange(.removal, valuesAt: RangeSet(1..<2), of: \.items) { _ = shelf.items.remove(at: 1) }
        #expect(
            ofItems.changes.map(\.told) == [
                "after insertion new [3] at 2..<3", "after old [1, 2, 3] new [1, 2, 3, 4]", "after old [1, 2, 3, 4] new [5]",
                "after insertion new [4] at 0..<1", "after removal old [5] at 1..<2",
            ])
    }

    @Test("Rule 29: an operation inside an announcement by hand is part of it")
    func anOperationInsideAnAnnouncementIsPartOfIt() {
        ofItems.listen(to: shelf, \.items)
        ofTags.listen(to: shelf, \.tags)
        shelf.withChange(.insertion, valuesAt: RangeSet(2..<3), of: \.items) { shelf.mutableArrayValue(for: \.items).append(3) }
        shelf.withChange(of: \.items) {
            shelf.mutableArrayValue(for: \.items).removeAll()
            shelf.mutableArrayValue(for: \.items).append(4)
        }
        shelf.withChange(of: \.tags, withSetMutation: .union, using: [3]) { _ = shelf.mutableSetValue(for: \.tags).insert(3) }
        #expect(ofItems.changes.map(\.told) == ["after insertion new [3] at 2..<3", "after old [1, 2, 3] new [4]"])
        #expect(ofTags.changes.map(\.told) == ["after insertion new [3]"])
    }

    @Test("Rule 29: each route to a set announces once")
    func eachRouteToASetAnnouncesOnce() {
        ofTags.listen(to: shelf, \.tags)
        shelf.mutableSetValue(for: \.tags).insert(3)
        shelf.tags.remove(3)
        shelf.tags = [1]
        shelf.withChange(of: \.tags, withSetMutation: .set, using: [5]) { shelf.tags = [5] }
        #expect(
            ofTags.changes.map(\.kind) == [.insertion, .setting, .setting, .replacement])
    }

    @Test("Rule 21: operations on a property that is announced by hand only announce nothing")
    func operationsOnAPropertyAnnouncedByHandAreSilent() {
        final class Silent: KeyValueObject {
            @Observed var items = [1]
            override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Silent.items }
        }
        let silent = Silent()
        ofItems.listen(to: silent, \.items)
        silent.mutableArrayValue(for: \.items).append(2)
        #expect(silent.items == [1, 2])
        #expect(ofItems.changes.isEmpty)
    }

    @Test("Rule 47: in a batch, operations are one setting")
    func operationsInABatch() {
        ofItems.listen(to: shelf, \.items)
        withBatchedChanges { shelf.mutableArrayValue(for: \.items).append(3) }
        withBatchedChanges {
            shelf.mutableArrayValue(for: \.items).append(4)
            shelf.mutableArrayValue(for: \.items).removeFirst()
        }
        #expect(ofItems.changes.map(\.told) == ["after old [1, 2] new [1, 2, 3]", "after old [1, 2, 3] new [2, 3, 4]"])
    }

    @Test("A property's own observers do not run for an operation, but through a computed property they do", arguments: [false, true])
    func aPropertysOwnObservers(isObserved: Bool) {
        final class Counting: KeyValueObject {
            var calls: [String] = []
            @Observed var items = [1] {
                willSet { calls.append("will \(newValue)") }
                didSet { calls.append("did \(oldValue)") }
            }
            var wholeItems: [Int] {
                get { items }
                set { items = newValue }
            }
        }
        let counting = Counting()
        if isObserved { ofItems.listen(to: counting, \.items) }
        counting.mutableArrayValue(for: \.items).append(2)
        #expect(counting.calls == [])
        counting.mutableArrayValue(for: \.wholeItems).append(3)
        #expect(counting.items == [1, 2, 3])
        #expect(counting.calls == ["will [1, 2, 3]", "did [1, 2]"])
        #expect(
            ofItems.changes.map(\.told) == (isObserved ? ["after insertion new [2] at 1..<2", "after old [1, 2] new [1, 2, 3]"] : []))
    }

    @Test("An override of the property is gone through, as by an assignment")
    func anOverrideIsGoneThrough() {
        class Base: KeyValueObject {
            @Observed var items = [1]
        }
        final class Derived: Base {
            var sets = 0
            override var items: [Int] { didSet { sets += 1 } }
        }
        let derived = Derived()
        ofItems.listen(to: derived, \.items)
        derived.mutableArrayValue(for: \.items).append(2)
        #expect(derived.items == [1, 2])
        #expect(derived.sets == 1)
        #expect(ofItems.changes.count == 1)
    }

    /// What prior handlers do to `[1, 2]`, and what is told of appending 3 then.
    nonisolated static let priorChanges: [([Int], [String])] = [
        ([], ["after old [1, 2] new []", "after insertion new [3] at 0..<1"]),
        ([0, 1, 2], ["after old [1, 2] new [0, 1, 2]", "after insertion new [3] at 3..<4"]),
        ([4, 5], ["after old [1, 2] new [4, 5]", "after insertion new [3] at 2..<3"]),
    ]

    @Test("Rule 2: a prior handler that changes the array: nothing traps, and what is told is true", arguments: priorChanges.indices)
    func aPriorHandlerChangesTheArray(index: Int) throws {
        let (items, expected) = Self.priorChanges[index]
        let observations = ObservationController(observer: ofItems)
        var isFirst = true
        observations.observe(shelf, \.items, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.items = items
        }
        ofItems.listen(to: shelf, \.items)
        var value: [[Int]] = []
        observations.observe(shelf, \.items, tag: "value") { _, items in value.append(items) }
        shelf.mutableArrayValue(for: \.items).append(3)
        #expect(shelf.items == items + [3])
        #expect(value == [[1, 2], items, items + [3]])
        #expect(ofItems.changes.map(\.told) == expected)
        var replica = [1, 2]
        for change in ofItems.changes {
            let difference = try #require(change.difference)
            replica = try #require(replica.applying(difference))
        }
        #expect(replica == shelf.items)
    }

    @Test("Rule 2: a prior handler that replaces an element: its removal tells the one that went")
    func aPriorHandlerReplacesTheElement() {
        let observations = ObservationController(observer: ofItems)
        var isFirst = true
        observations.observe(shelf, \.items, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.items[0] = 7
        }
        ofItems.listen(to: shelf, \.items)
        shelf.mutableArrayValue(for: \.items).remove(at: 0)
        #expect(ofItems.changes.map(\.told) == ["after old [1, 2] new [7, 2]", "after removal old [7] at 0..<1"])
    }

    @Test("Rule 2: a prior handler that empties the array: the operation is worked out anew, nothing traps, and what was done is told")
    func aPriorHandlerEmptiesTheArray() {
        let observations = ObservationController(observer: ofItems)
        observations.observe(shelf, \.items, options: .prior) { _, shelf, change in
            if change.isPrior, change.kind != .setting { shelf.items = [8] }
        }
        ofItems.listen(to: shelf, \.items)
        let items = shelf.mutableArrayValue(for: \.items)
        items.removeAll { $0 == 2 }
        #expect(shelf.items == [8])
        shelf.items = [3, 2, 1]
        items.replaceSubrange(0..<1, with: [5])
        #expect(shelf.items == [5])
        #expect(
            ofItems.changes.map(\.told) == [
                "after old [1, 2] new [8]", "after removal old [] at ", "after old [8] new [3, 2, 1]", "after old [3, 2, 1] new [8]",
                "after replacement old [8] new [5] at 0..<1",
            ])
    }

    @Test("A closure of an operation that writes the array is called once, and the operation's result stands", arguments: [false, true])
    func aClosureWritesTheArray(isObserved: Bool) {
        if isObserved { ofItems.listen(to: shelf, \.items) }
        shelf.mutableArrayValue(for: \.items).removeAll { item in
            if item == 1 { shelf.items = [7] }
            return item == 2
        }
        #expect(shelf.items == [1])
        #expect(ofItems.changes.map(\.told) == (isObserved ? ["after old [1, 2] new [7]", "after old [7] new [1]"] : []))
    }

    @Test("Rules 2, 28: a prior handler that changes the set: what is told is true")
    func aPriorHandlerChangesTheSet() {
        let observations = ObservationController(observer: ofTags)
        var isFirst = true
        observations.observe(shelf, \.tags, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.tags = [3]
        }
        ofTags.listen(to: shelf, \.tags)
        shelf.mutableSetValue(for: \.tags).formUnion([3, 4])
        #expect(ofTags.changes.map(\.kind) == [.setting, .insertion])
        #expect(ofTags.changes.map(\.oldValue) == [[1, 2], nil])
        #expect(ofTags.changes.map(\.newValue) == [[3], [4]])
    }

    @Test("Rule 2: a prior handler that changes an array that threads share: what is told is true")
    func aPriorHandlerChangesAnAtomicArray() {
        shelf.shared = [1, 2]
        let observations = ObservationController(observer: ofItems)
        var isFirst = true
        observations.observe(shelf, \.shared, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.shared = [0, 1, 2]
        }
        ofItems.listen(to: shelf, \.shared, .new)
        shelf.mutableArrayValue(for: \.shared).append(3)
        #expect(shelf.shared == [0, 1, 2, 3])
        #expect(ofItems.changes.map(\.told) == ["after new [0, 1, 2]", "after insertion new [3] at 3..<4"])
    }

    class Box: KeyValueObject {
        @Observed var items = [1]
        @Observed var inner: Box?
        @Observed var boxes: [Box] = []
        @Observed var contents = Contents()
        var plain = [1]
        var alias: [Int] {
            get { items }
            set { items = newValue }
        }
    }
    final class Crate: Box {}
    struct Contents {
        var items = [1]
    }

    @Test("Rule 20: through a subclass key path or that of the superclass, kind and indexes are kept")
    func bothSpellingsKeepTheKind() {
        let (crate, ofCrate) = (Crate(), Listener<[Int]>())
        ofItems.listen(to: crate as Box, \.items)
        ofCrate.listen(to: crate, \.items)
        crate.mutableArrayValue(for: \.items).append(2)
        (crate as Box).mutableArrayValue(for: \.items).append(3)
        for listener in [ofItems, ofCrate] {
            #expect(listener.changes.map(\.told) == ["after insertion new [2] at 1..<2", "after insertion new [3] at 2..<3"])
        }
    }

    @Test("Rule 18: behind a hop with ! kind and indexes are kept")
    func aForcedHopKeepsTheKind() {
        let (box, ofInner, inner) = (Box(), Listener<[Int]>(), Box())
        box.inner = inner
        ofItems.listen(to: box, \.inner!.items)
        ofInner.listen(to: inner, \.items)
        box.mutableArrayValue(for: \.inner!.items).append(2)
        #expect(ofItems.changes.map(\.told) == ["after insertion new [2] at 1..<2"])
        #expect(ofInner.changes.map(\.told) == ["after insertion new [2] at 1..<2"])
    }

    @Test("Rule 29: behind a subscript, a structure or a computed property, an operation is one setting")
    func anOperationOnWhatIsNoChainIsOneSetting() {
        let paths: [(String, ReferenceWritableKeyPath<Box, [Int]>)] = [
            ("subscript", \.boxes[0].items), ("structure", \.contents.items), ("computed", \.alias),
        ]
        for (name, path) in paths {
            let (box, listener) = (Box(), Listener<[Int]>())
            box.boxes = [Box()]
            listener.listen(to: box, path)
            box.mutableArrayValue(for: path).append(2)
            #expect(box[keyPath: path] == [1, 2], "\(name)")
            #expect(listener.changes.map(\.told) == ["after old [1] new [1, 2]"], "\(name)")
        }
    }

    @Test func anArrayThatIsNotObservableIsChangedInSilence() {
        let box = Box()
        ofItems.listen(to: box, \.items)
        box.mutableArrayValue(for: \.plain).append(2)
        #expect(box.plain == [1, 2])
        #expect(ofItems.changes.isEmpty)
    }
}
