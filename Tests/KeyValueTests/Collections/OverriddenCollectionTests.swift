import SafeKVO
import TestSupport
import Testing

/// An edit of a collection goes straight to its storage only if no subclass can have overridden the property.
@MainActor @Suite struct OverriddenCollectionTests {
    class Base: KeyValueObject {
        @Observed var title = ""
        @Observed var items: [Int] = []
        var summary: String { "base" }
        @Observed var tags: Set<Int> = []
        @AtomicObserved var shared: [Int] = []
        @Observed var inner: Base?
        required override init() {}
        func describe() -> String { "base" }
    }

    /// Its getters pass the stored value through; its setters check.
    class Capped: Base {
        override var items: [Int] {
            get { super.items }
            set { super.items = newValue.map { min($0, 10) } }
        }
        override var tags: Set<Int> {
            get { super.tags }
            set { super.tags = Set(newValue.map { min($0, 10) }) }
        }
        override var shared: [Int] {
            get { super.shared }
            set { super.shared = newValue.map { min($0, 10) } }
        }
    }

    class BelowCapped: Capped {}

    final class Sorting: Base {
        override var items: [Int] {
            get { super.items }
            set { super.items = newValue.sorted() }
        }
    }

    /// Converts the stored value; while it is empty, the result has the same bytes.
    final class Converting: Base {
        override var items: [Int] {
            get { super.items.map { $0 * 100 } }
            set { super.items = newValue.map { $0 / 100 } }
        }
    }

    final class Watching: Base {
        var sets: [[Int]] = []
        override var items: [Int] { didSet { sets.append(items) } }
    }

    /// Overrides a function, the initializer and another property.
    class Innocent: Base {
        var other = 0
        override var title: String { didSet { other += 1 } }
        override var inner: Base? { didSet { other += 1 } }
        override var summary: String { "innocent" }
        required init() {}
        override func describe() -> String { "innocent" }
        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }
    }
    final class BelowInnocent: Innocent {}

    class Box<Element, Tag: Hashable>: KeyValueObject {
        @Observed var items: [Element] = []
        @Observed var tag: Tag?
        func describe() -> String { "box" }
    }
    class Numbers: Box<Int, String> {
        override func describe() -> String { "numbers" }
    }
    class Bounded<Tag: Hashable>: Box<Int, Tag> {
        override var items: [Int] {
            get { super.items }
            set { super.items = newValue.map { min($0, 10) } }
        }
    }
    final class BelowBounded: Bounded<String> {}

    /// Below a generic class, and with a collection of its own.
    class Drawer: Box<Int, String> {
        @Observed var more: [Int] = []
        func count() -> Int { more.count }
    }
    class InnocentDrawer: Drawer {
        override var items: [Int] { didSet {} }
        override func count() -> Int { 0 }
    }
    class CappedDrawer: Drawer {
        override var more: [Int] {
            get { super.more }
            set { super.more = newValue.map { min($0, 10) } }
        }
    }

    /// Nobody can override a final property, so what a subclass overrides does not concern it.
    class Finished: KeyValueObject {
        @Observed final var items: [Int] = []
        @AtomicObserved final var shared: [Int] = []
        @Observed var title = ""
    }
    final class BelowFinished: Finished {
        override var title: String { didSet {} }
    }

    /// Its setters add an element of their own.
    final class Padding: Base {
        override var items: [Int] {
            get { super.items }
            set { super.items = newValue.filter { $0 != 0 } + [0] }
        }
        override var tags: Set<Int> {
            get { super.tags }
            set { super.tags = newValue.union([0]) }
        }
    }

    let ofItems = Listener<[Int]>()

    @Test("Rules 20b, 27: a verb returns what it removed, also if the setter assigns something else", arguments: [false, true])
    func whatWasRemoved(isObserved: Bool) {
        let shelf = Padding()
        (shelf.items, shelf.tags) = ([3, 2, 1], [1, 2, 3])
        let ofTags = Listener<Set<Int>>()
        if isObserved {
            ofItems.listen(to: shelf as Base, \.items)
            ofTags.listen(to: shelf as Base, \.tags)
        }
        #expect(shelf.mutableArrayValue(for: \.items).removeLast() == 0)
        #expect(shelf.mutableArrayValue(for: \.items).remove(at: 1) == 2)
        #expect(shelf.items == [3, 1, 0])
        #expect(shelf.mutableSetValue(for: \.tags).remove(2) == 2)
        #expect(shelf.mutableSetValue(for: \.tags).remove(99) == nil)
        #expect(!shelf.mutableSetValue(for: \.tags).insert(3).inserted)
        #expect(shelf.mutableSetValue(for: \.tags).insert(4).inserted)
        #expect(shelf.tags == [0, 1, 3, 4])
    }

    @Test("An edit of a final property stays an edit in a subclass that overrides another property", arguments: [false, true])
    func aFinalProperty(isShared: Bool) {
        let shelf = BelowFinished()
        let keyPath = isShared ? \Finished.shared : \Finished.items
        ofItems.listen(to: shelf, keyPath)
        (shelf as Finished).mutableArrayValue(for: keyPath).append(1)
        #expect(shelf[keyPath: keyPath] == [1])
        #expect(ofItems.changes.map(\.kind) == [.insertion])
    }

    @Test("A setter that checks is called, whatever the getter returns", arguments: [Capped.self, BelowCapped.self], [false, true])
    func aSetterThatChecks(type: Capped.Type, isObserved: Bool) {
        let shelf = type.init()
        if isObserved { ofItems.listen(to: shelf as Base, \.items) }
        shelf.items = []
        shelf.mutableArrayValue(for: \.items).append(99)
        (shelf as Base).mutableArrayValue(for: \.items).append(99)
        shelf.mutableArrayValue(for: \.items)[0] = 98
        shelf.mutableSetValue(for: \.tags).insert(99)
        (shelf as Base).mutableSetValue(for: \.tags).formUnion([98])
        #expect(shelf.items == [10, 10])
        #expect(shelf.tags == [10])
        if isObserved {
            #expect(
                ofItems.changes.map(\.told) == [
                    "after old [] new []", "after old [] new [10]", "after old [10] new [10, 10]", "after old [10, 10] new [10, 10]",
                ])
        }
    }

    @Test("The same of a property that threads share")
    func anAtomicProperty() {
        let shelf: Base = BelowCapped()
        ofItems.listen(to: shelf, \.shared)
        shelf.mutableArrayValue(for: \.shared).append(99)
        #expect(shelf.shared == [10])
        #expect(ofItems.changes.map(\.told) == ["after old [] new [10]"])
    }

    @Test("An empty array is not taken for another empty array")
    func emptyArraysAreOneBuffer() {
        let shelf = Converting()
        ofItems.listen(to: shelf, \.items)
        let items = (shelf as Base).mutableArrayValue(for: \.items)
        items.append(100)
        items.append(200)
        #expect(shelf.items == [100, 200])
        #expect(ofItems.changes.map(\.told) == ["after old [] new [100]", "after old [100] new [100, 200]"])
    }

    @Test("An override that only observes is told of the edit")
    func anObservingOverride() {
        let shelf = Watching()
        (shelf as Base).mutableArrayValue(for: \.items).append(1)
        shelf.mutableArrayValue(for: \.items).append(2)
        #expect(shelf.sets == [[1], [1, 2]])
    }

    @Test("At the end of a path, too")
    func atTheEndOfAPath() {
        let shelf = Base()
        shelf.inner = Capped()
        ofItems.listen(to: shelf, \.inner!.items)
        let items = shelf.mutableArrayValue(for: \.inner!.items)
        items.append(99)
        shelf.inner = Innocent()
        items.append(98)
        #expect(
            ofItems.changes.map(\.told) == [
                "after old [] new [10]", "after old [10] new []", "after insertion new [98] at 0..<1",
            ])
    }

    @Test("At the end of a path that leads back to its beginning, each edit is one change")
    func atTheEndOfACircle() {
        let shelf = Innocent()
        shelf.inner = shelf
        defer { shelf.inner = nil }
        ofItems.listen(to: shelf as Base, \.items)
        let items = shelf.mutableArrayValue(for: \.inner!.items)
        for item in [1, 2] { items.append(item) }
        #expect(ofItems.changes.map(\.told) == ["after insertion new [1] at 0..<1", "after insertion new [2] at 1..<2"])
    }

    @Test("Rule 20b: a proxy and a key path of a final class that overrides the property keep kinds, too")
    func ofAFinalClass() {
        let shelf = Watching()
        ofItems.listen(to: shelf, \.items)
        let items = shelf.mutableArrayValue(for: \.items)
        for item in [1, 2] { items.append(item) }
        _ = items.remove(at: 0)
        shelf.items = [3]
        #expect(shelf.sets == [[1], [1, 2], [2], [3]])
        #expect(
            ofItems.changes.map(\.told) == [
                "after insertion new [1] at 0..<1", "after insertion new [2] at 1..<2", "after removal old [1] at 0..<1",
                "after old [2] new [3]",
            ])
    }

    @Test("Rule 20b: the kind is kept if the setter stores an equal collection, and nothing is told of elements that it has moved")
    func aSetterThatSorts() {
        let shelf = Sorting()
        ofItems.listen(to: shelf as Base, \.items)
        let items = (shelf as Base).mutableArrayValue(for: \.items)
        for item in [1, 3, 2] { items.append(item) }
        #expect(
            ofItems.changes.map(\.told) == [
                "after insertion new [1] at 0..<1", "after insertion new [3] at 1..<2", "after old [1, 3] new [1, 2, 3]",
            ])
    }

    @Test("Rules 5 and 6: a prior call is not left out because the assigned value equals what a converting getter has returned")
    func aPriorCallOfAConvertingGetter() {
        let shelf = Converting()
        var told: [String] = []
        let observations = ObservationController(observer: shelf)
        observations.observe(shelf as Base, \.items, options: [.prior, .new], removing: .duplicates) { _, _, change in
            told.append(change.isPrior ? "prior" : "new \(change.newValue ?? [])")
        }
        shelf.items = [100]
        shelf.items = [10_000]
        shelf.items = [100]
        #expect(told == ["prior", "new [100]", "prior", "new [10000]", "prior", "new [100]"])
    }

    @Test("In a batch, and inside a manual notification, too")
    func inABatch() {
        let shelf: Base = Capped()
        ofItems.listen(to: shelf, \.items)
        withBatchedChanges {
            shelf.mutableArrayValue(for: \.items).append(99)
            shelf.mutableArrayValue(for: \.items).append(5)
        }
        shelf.withChange(.insertion, valuesAt: RangeSet(2..<3), of: \.items) { shelf.mutableArrayValue(for: \.items).append(97) }
        #expect(shelf.items == [10, 5, 10])
        #expect(ofItems.changes.map(\.told) == ["after old [] new [10, 5]", "after insertion new [10] at 2..<3"])
    }

    @Test("Of a generic class, too")
    func ofAGenericClass() {
        let shelf: Box<Int, String> = BelowBounded()
        shelf.mutableArrayValue(for: \.items).append(99)
        #expect(shelf.items == [10])
    }

    @Test(
        "A subclass that does not override the property keeps kinds and indexes", arguments: [Base.self, Innocent.self, BelowInnocent.self])
    func aSubclassWithoutOverride(type: Base.Type) {
        let shelf = type.init()
        ofItems.listen(to: shelf, \.items)
        ofItems.listen(to: shelf, \.shared)
        let items = shelf.mutableArrayValue(for: \.items)
        items.append(1)
        items.append(2)
        (shelf as? Innocent)?.mutableArrayValue(for: \.items).remove(at: 0)
        shelf.mutableArrayValue(for: \.shared).append(7)
        let ofInnocent = shelf is Innocent ? ["after removal old [1] at 0..<1"] : []
        #expect(
            ofItems.changes.map(\.told) == ["after insertion new [1] at 0..<1", "after insertion new [2] at 1..<2"] + ofInnocent
                + ["after insertion new [7] at 0..<1"])
    }

    @Test("So does a subclass of a generic class")
    func aSubclassOfAGenericClass() {
        let shelf = Numbers()
        ofItems.listen(to: shelf, \.items)
        shelf.mutableArrayValue(for: \.items).append(1)
        (shelf as Box).mutableArrayValue(for: \.items).append(2)
        #expect(ofItems.changes.map(\.told) == ["after insertion new [1] at 0..<1", "after insertion new [2] at 1..<2"])
    }

    @Test("Below a generic class, each property counts for itself")
    func belowAGenericClass() {
        let (innocent, capped): (Drawer, Drawer) = (InnocentDrawer(), CappedDrawer())
        for drawer in [innocent, capped] {
            ofItems.listen(to: drawer, \.more)
            ofItems.listen(to: drawer as Box, \.items)
            drawer.mutableArrayValue(for: \.more).append(99)
            (drawer as Box).mutableArrayValue(for: \.items).append(98)
        }
        #expect(
            ofItems.changes.map(\.told) == [
                "after insertion new [99] at 0..<1", "after insertion new [98] at 0..<1",  // of the innocent one
                "after old [] new [10]", "after insertion new [98] at 0..<1",  // of the capped one
            ])
    }

    // MARK: Other ways to write

    @Test("A binding assigns through the setter")
    func aBinding() {
        let (source, target): (Base, Base) = (Base(), Capped())
        let token = bind(source, \.items, to: target, \.items)
        source.items = [99]
        #expect(target.items == [10])
        token.cancel()
    }

    @Test("`update` and `compareExchange` work on the stored value, as documented")
    func theProjectionOfAnOverriddenProperty() {
        let shelf: Base = Capped()
        ofItems.listen(to: shelf, \.shared)
        shelf.$shared.update { $0.append(99) }
        shelf.$shared.compareExchange(expected: [99], desired: [98])
        #expect(shelf.shared == [98])
        #expect(ofItems.changes.map(\.told) == ["after old [] new [99]", "after old [99] new [98]"])
    }
}
