import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 18: the kind and the indexes of a collection change pass through a path whose value is the property's value before and after it.
@MainActor @Suite struct PassingTests {
    class Shelf: KeyValueObject {
        @Observed var items: [Int]
        @Observed var more = [7]
        @Observed var members: Set<Int> = [1, 2]
        @AtomicObserved var shared = [1]
        var same: [Int] { items }
        init(_ items: [Int] = [1, 2, 3]) { self.items = items }

        func edit(_ edit: Edit, byHand: Bool = false) {
            let (index, proxy) = (edit.index, mutableArrayValue(for: \.items))
            switch (edit, byHand) {
            case (.insert(let item, _), false): proxy.insert(item, at: index)
            case (.remove, false): _ = proxy.remove(at: index)
            case (.replace(_, let item), false): proxy[index] = item
            case (.insert(let item, _), true):
                withChange(.insertion, valuesAt: RangeSet(index..<index + 1), of: \.items) { items.insert(item, at: index) }
            case (.remove, true):
                withChange(.removal, valuesAt: RangeSet(index..<index + 1), of: \.items) { _ = items.remove(at: index) }
            case (.replace(_, let item), true):
                withChange(.replacement, valuesAt: RangeSet(index..<index + 1), of: \.items) { items[index] = item }
            }
        }
    }

    enum Edit {
        case insert(Int, at: Int)
        case remove(at: Int)
        case replace(at: Int, with: Int)
        var index: Int {
            switch self {
            case .insert(_, let index), .remove(let index), .replace(let index, _): index
            }
        }
    }

    struct Case {
        let shelf: Shelf
    }

    final class Box {
        let shelf: Shelf
        init(_ shelf: Shelf) { self.shelf = shelf }
    }

    final class Room: KeyValueObject {
        let shelf: Shelf
        let box: Box
        let unwrapped: Shelf!
        let inner: Case
        @Observed var observed: Shelf
        @Observed var observedUnwrapped: Shelf!
        @Observed var optional: Shelf?
        @Observed var isOther = false
        @Observed var list = List()
        struct List {
            var items = [1]
        }

        init(_ items: [Int] = [1, 2, 3]) {
            shelf = Shelf(items)
            (box, unwrapped, inner, observed, observedUnwrapped) = (Box(shelf), shelf, Case(shelf: shelf), shelf, shelf)
            super.init()
            optional = shelf
        }

        var computed: Shelf { shelf }
        var items: [Int] { shelf.items }
        var shared: [Int] { shelf.shared }
        var members: Set<Int> { shelf.members }
        var chosen: [Int] { isOther ? shelf.more : shelf.items }
        var firstThree: [Int] { shelf.items.count > 3 ? Array(shelf.items.prefix(3)) : shelf.items }
        var doubled: [Int] { shelf.items.map { $0 * 2 } }
        var positive: [Int] { shelf.items.filter { $0 > 0 } }
        var doubledMembers: Set<Int> { Set(shelf.members.map { $0 * 2 }) }
    }

    /// The paths that pass the changes of the array on.
    enum Route: CaseIterable {
        case constantHop, twoConstantHops, structureHop, unwrappedConstantHop
        case observedHop, unwrappedObservedHop, computedHop, getter, getterBehindAHop

        var keyPath: KeyPath<Room, [Int]> {
            switch self {
            case .constantHop: \.shelf.items
            case .twoConstantHops: \.box.shelf.items
            case .structureHop: \.inner.shelf.items
            case .unwrappedConstantHop: \.unwrapped.items
            case .observedHop: \.observed.items
            case .unwrappedObservedHop: \.observedUnwrapped.items
            case .computedHop: \.computed.items
            case .getter: \.items
            case .getterBehindAHop: \.shelf.same
            }
        }
    }

    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() { observations = ObservationController(observer: observer) }

    private func watch<Value>(
        _ room: Room, _ keyPath: KeyPath<Room, Value>, _ options: KeyValueObservingOptions = [.prior, .old, .new]
    ) {
        observations.observe(room, keyPath, options: options) { [log] _, _, change in log.append(change.told) }
    }

    // MARK: What passes

    @Test(
        "Rule 18: the kinds, indexes and elements pass, in both phases, whether a proxy or the class announces them",
        arguments: Route.allCases, [false, true])
    func kindsPass(route: Route, byHand: Bool) throws {
        let room = Room()
        watch(room, route.keyPath)
        room.shelf.edit(.insert(9, at: 1), byHand: byHand)
        try log.expect(["prior insertion at 1..<2", "after insertion new [9] at 1..<2"])
        room.shelf.edit(.remove(at: 0), byHand: byHand)
        try log.expect(["prior removal old [1] at 0..<1", "after removal old [1] at 0..<1"])
        room.shelf.edit(.replace(at: 2, with: 8), byHand: byHand)
        try log.expect(["prior replacement old [3] at 2..<3", "after replacement old [3] new [8] at 2..<3"])
        room.shelf.items = [1]
        try log.expect(["prior old [9, 2, 8]", "after old [9, 2, 8] new [1]"])
        room.shelf.items.append(2)
        try log.expect(["prior old [1]", "after old [1] new [1, 2]"])
    }

    @Test("Rule 18: through an optional chain, too, whose values are optional", arguments: [false, true])
    func throughAnOptionalChain(byHand: Bool) throws {
        let room = Room()
        watch(room, \.optional?.items)
        room.shelf.edit(.insert(9, at: 1), byHand: byHand)
        try log.expect(["prior insertion at 1..<2", "after insertion new Optional([9]) at 1..<2"])
        room.shelf.edit(.remove(at: 0), byHand: byHand)
        try log.expect(["prior removal old Optional([1]) at 0..<1", "after removal old Optional([1]) at 0..<1"])
        room.shelf.items = [1]
        try log.expect(["prior old Optional([9, 2, 3])", "after old Optional([9, 2, 3]) new Optional([1])"])
        room.optional = nil
        try log.expect(["prior old Optional([1])", "after old Optional([1]) new nil"])
        room.shelf.edit(.remove(at: 0), byHand: byHand)
        try log.expect([])
        room.optional = Shelf([5])
        try log.expect(["prior old nil", "after old nil new Optional([5])"])
        room.optional?.edit(.replace(at: 0, with: 6), byHand: byHand)
        try log.expect(["prior replacement old Optional([5]) at 0..<1", "after replacement old Optional([5]) new Optional([6]) at 0..<1"])
    }

    @Test("Rule 18: an atomic array passes", arguments: [false, true])
    func anAtomicArray(isGetter: Bool) throws {
        let room = Room()
        watch(room, isGetter ? \.shared : \.shelf.shared, [.old, .new])
        let proxy = room.shelf.mutableArrayValue(for: \.shared)
        proxy.append(2)
        proxy.remove(at: 0)
        room.shelf.shared = [3]
        try log.expect(["after insertion new [2] at 1..<2", "after removal old [1] at 0..<1", "after old [2] new [3]"])
    }

    @Test(
        "Rules 18, 28: the members of a set pass, whether a proxy or the class announces them",
        arguments: [false, true], [false, true])
    func membersOfASet(isGetter: Bool, byHand: Bool) throws {
        let room = Room()
        watch(room, isGetter ? \.members : \.shelf.members)
        let (shelf, proxy) = (room.shelf, room.shelf.mutableSetValue(for: \.members))
        if byHand {
            shelf.withChange(of: \.members, withSetMutation: .union, using: [2, 3]) { _ = shelf.members.insert(3) }
            shelf.withChange(of: \.members, withSetMutation: .minus, using: [1]) { _ = shelf.members.remove(1) }
        } else {
            proxy.formUnion([2, 3])
            proxy.subtract([1])
        }
        try log.expect(["prior insertion", "after insertion new [3]", "prior removal old [1]", "after removal old [1]"])
        shelf.members = [5]
        #expect(log.events.count == 2)
        #expect(log.events.last?.hasSuffix("new [5]") ?? false)
    }

    @Test("Rule 18: the value form gets the whole value", arguments: Route.allCases)
    func theValueForm(route: Route) throws {
        let room = Room()
        observations.observe(room, route.keyPath) { [log] _, items in log.append("\(items)") }
        room.shelf.edit(.insert(9, at: 1))
        room.shelf.edit(.remove(at: 0), byHand: true)
        try log.expect(["[1, 2, 3]", "[1, 9, 2, 3]", "[9, 2, 3]"])
    }

    @Test("Rule 6: an observation that removes duplicates leaves out an edit that changes nothing", arguments: Route.allCases)
    func removingDuplicates(route: Route) throws {
        let room = Room()
        observations.observe(room, route.keyPath, options: [.old, .new], removing: .duplicates) { [log] _, _, change in
            log.append(change.told)
        }
        room.shelf.edit(.replace(at: 0, with: 1))
        room.shelf.edit(.replace(at: 0, with: 9))
        try log.expect(["after replacement old [1] new [9] at 0..<1"])
    }

    @Test("Rule 7: each observer gets what it asked for")
    func options() throws {
        let room = Room()
        for options in [[], .new, .old] as [KeyValueObservingOptions] {
            observations.observe(room, \.shelf.items, options: options, tag: "\(options.rawValue)") { [log] _, _, change in
                log.append(change.told)
            }
        }
        room.shelf.edit(.replace(at: 0, with: 9))
        try log.expect(["after replacement at 0..<1", "after replacement new [9] at 0..<1", "after replacement old [1] at 0..<1"])
    }

    // MARK: Other objects, other collections, batches

    @Test("Rules 14, 18: replacing an object on the way is a setting, after which the changes of the new object's array pass")
    func replacedHops() throws {
        final class Hall: KeyValueObject {
            final class Part: KeyValueObject {
                let box: Box
                init(_ items: [Int]) { box = Box(Shelf(items)) }
            }
            @Observed var part = Part([1])
        }
        let hall = Hall()
        observations.observe(hall, \.part.box.shelf.items, options: [.old, .new]) { [log] _, _, change in log.append(change.told) }
        let former = hall.part.box.shelf
        former.edit(.insert(2, at: 1))
        try log.expect(["after insertion new [2] at 1..<2"])
        hall.part = Hall.Part([5])
        try log.expect(["after old [1, 2] new [5]"])
        former.edit(.remove(at: 0))
        try log.expect([])
        hall.part.box.shelf.edit(.remove(at: 0))
        try log.expect(["after removal old [5] at 0..<1"])
    }

    @Test("Rule 18: a getter that returns another collection is a setting, after which the changes of that one pass")
    func switchingToAnotherCollection() throws {
        let room = Room()
        watch(room, \.chosen)
        room.isOther = true
        try log.expect(["prior old [1, 2, 3]", "after old [1, 2, 3] new [7]"])
        room.shelf.mutableArrayValue(for: \.more).append(8)
        try log.expect(["prior insertion at 1..<2", "after insertion new [8] at 1..<2"])
        room.shelf.edit(.remove(at: 0))
        try log.expect([])
        room.isOther = false
        try log.expect(["prior old [7, 8]", "after old [7, 8] new [2, 3]"])
        room.shelf.edit(.remove(at: 0))
        try log.expect(["prior removal old [2] at 0..<1", "after removal old [2] at 0..<1"])
    }

    @Test("Rules 18, 47: in a batch it is one setting, with the value before the first change", arguments: [1, 3])
    func batches(edits: Int) throws {
        for keyPath in [\Room.shelf.items, \.items, \.box.shelf.items] {
            let room = Room([1])
            watch(room, keyPath, [.old, .new])
            withBatchedChanges {
                for item in 2..<2 + edits { room.shelf.edit(.insert(item, at: 0)) }
            }
            try log.expect(["after old [1] new \(edits == 1 ? [2, 1] : [4, 3, 2, 1])"])
            room.shelf.edit(.remove(at: 0))
            try log.expect(["after removal old [\(edits + 1)] at 0..<1"])
        }
    }

    // MARK: What does not pass

    @Test("Rule 18: what lies behind a collection sees settings, with old and new")
    func behindACollection() throws {
        let room = Room()
        watch(room, \.shelf.items.count)
        room.shelf.edit(.insert(9, at: 0))
        room.shelf.edit(.remove(at: 0), byHand: true)
        try log.expect(["prior old 3", "after old 3 new 4", "prior old 4", "after old 4 new 3"])
    }

    @Test(
        "Rule 18: what is made from a collection sees settings, with old and new, also if it is equal to the collection",
        arguments: [false, true])
    func madeFromACollection(byHand: Bool) throws {
        let room = Room([1])
        watch(room, \.doubled)
        room.shelf.edit(.insert(2, at: 1), byHand: byHand)
        room.shelf.edit(.remove(at: 0), byHand: byHand)
        try log.expect(["prior old [2]", "after old [2] new [2, 4]", "prior old [2, 4]", "after old [2, 4] new [4]"])
        observations.unobserveAll()
        watch(room, \.positive)
        room.shelf.edit(.insert(3, at: 1), byHand: byHand)
        try log.expect(["prior old [2]", "after old [2] new [2, 3]"])
    }

    @Test("Rule 18: a collection in an observed structure sees settings, with old and new")
    func inAStructure() throws {
        let room = Room()
        watch(room, \.list.items)
        room.list.items.append(2)
        try log.expect(["prior old [1]", "after old [1] new [1, 2]"])
    }

    // MARK: Empty collections, and paths that stop or begin to pass

    @Test("Rule 18: the first insertion into an empty array passes, as does the last removal", arguments: Route.allCases)
    func emptyArrays(route: Route) throws {
        let room = Room([])
        watch(room, route.keyPath)
        for byHand in [false, true] {
            room.shelf.edit(.insert(1, at: 0), byHand: byHand)
            try log.expect(["prior insertion at 0..<1", "after insertion new [1] at 0..<1"])
            room.shelf.edit(.remove(at: 0), byHand: byHand)
            try log.expect(["prior removal old [1] at 0..<1", "after removal old [1] at 0..<1"])
        }
    }

    @Test("Rule 18: the first change of an array that is made from an empty one is a setting, with the empty array as old")
    func convertedEmptyArrays() throws {
        let room = Room([])
        watch(room, \.doubled, [.old, .new])
        for _ in 0..<2 {
            room.shelf.edit(.insert(1, at: 0))
            room.shelf.edit(.remove(at: 0))
            try log.expect(["after old [] new [2]", "after old [2] new []"])
        }
    }

    @Test("Rule 18: so is the first change of a set that is made from an empty one")
    func convertedEmptySets() throws {
        let room = Room()
        room.shelf.members = []
        watch(room, \.doubledMembers, [.old, .new])
        for _ in 0..<2 {
            room.shelf.mutableSetValue(for: \.members).formUnion([1])
            room.shelf.mutableSetValue(for: \.members).subtract([1])
            try log.expect(["after old [] new [2]", "after old [2] new []"])
        }
    }

    @Test("Rules 13, 18: a path that stops passing in an edit has a setting without old, after a prior call that passed")
    func stopsPassing() throws {
        let room = Room([1, 2])
        watch(room, \.firstThree)
        room.shelf.edit(.insert(0, at: 0))
        try log.expect(["prior insertion at 0..<1", "after insertion new [0] at 0..<1"])
        room.shelf.edit(.insert(9, at: 0))
        try log.expect(["prior insertion at 0..<1", "after new [9, 0, 1]"])
        room.shelf.edit(.insert(8, at: 0))
        try log.expect(["prior old [9, 0, 1]", "after old [9, 0, 1] new [8, 9, 0]"])
    }

    @Test("Rule 18: a path that begins to pass in an edit has a setting with old and new, and passes the next change")
    func beginsToPass() throws {
        let room = Room([1, 2, 3, 4])
        watch(room, \.firstThree)
        room.shelf.edit(.remove(at: 0))
        try log.expect(["prior old [1, 2, 3]", "after old [1, 2, 3] new [2, 3, 4]"])
        room.shelf.edit(.remove(at: 0))
        try log.expect(["prior removal old [2] at 0..<1", "after removal old [2] at 0..<1"])
    }
}
