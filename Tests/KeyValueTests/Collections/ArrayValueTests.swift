import SafeKVO
import SafeKVOTesting
import Testing

/// Arrays of a subject as collections: what they give, hold and leave alone.
@Suite struct ArrayValueTests {
    final class Note {
        let onTermination: () -> Void
        init(onTermination: @escaping () -> Void) { self.onTermination = onTermination }
        deinit { onTermination() }
    }
    final class Desk: KeyValueObject {
        @Observed var notes: [Note] = []
        @Observed var nested: [[Int]] = []
    }

    let shelf = Shelf(items: [1, 2, 3, 4])
    let listener = Listener<[Int]>()
    var items: MutableArrayValue<Shelf, Int> { shelf.mutableArrayValue(for: \.items) }

    @Test func itReadsAsTheArrayDoes() {
        #expect(items.array == [1, 2, 3, 4])
        #expect(Array(items) == [1, 2, 3, 4])
        #expect(items.count == 4)
        #expect(!items.isEmpty)
        #expect(items.first == 1)
        #expect(items.last == 4)
        #expect(items.startIndex == 0)
        #expect(items.endIndex == 4)
        #expect(items.indices == 0..<4)
        #expect(items[2] == 3)
        #expect(items[1..<3] == [2, 3])
        #expect(items[1..<3].startIndex == 1)
        #expect(items[2...] == [3, 4])
        #expect(items.map { $0 * 2 } == [2, 4, 6, 8])
        #expect(items.firstIndex(of: 3) == 2)
        #expect(items.reversed() == [4, 3, 2, 1])
        #expect(items.index(items.startIndex, offsetBy: 3) == 3)
        #expect(items.distance(from: 3, to: 1) == -2)
        #expect(items.index(before: items.endIndex) == 3)
        #expect(items[...1] == [1, 2])
        #expect(items.filter { $0 > 2 } == [3, 4])
        #expect([0] + items == [0, 1, 2, 3, 4])
        #expect(items + [5] == [1, 2, 3, 4, 5])
        let empty = Shelf().mutableArrayValue(for: \.items)
        #expect(empty.isEmpty)
        #expect(empty.first == nil)
        #expect(empty.last == nil)
    }

    @Test func itDescribesItselfAsTheArrayDoes() {
        #expect("\(items)" == "[1, 2, 3, 4]")
    }

    @Test func whatIsRemovedIsHandedOut() {
        #expect(items.remove(at: 1) == 2)
        #expect(items.removeFirst() == 1)
        #expect(items.removeLast() == 4)
        #expect(items.remove(at: 0) == 3)
    }

    @Test("Copies mean the same array, and see what is done elsewhere")
    func copiesMeanTheSameArray() {
        let (one, other) = (items, shelf.mutableArrayValue(for: \.items))
        let copy = one
        copy.append(5)
        other.removeFirst()
        shelf.items[0] = 9
        #expect(one.array == [9, 3, 4, 5])
        #expect(shelf.items == [9, 3, 4, 5])
    }

    @Test func askingForItAndReadingItAnnouncesNothing() {
        listener.listen(to: shelf, \.items, [.old, .new, .prior])
        let items = items
        _ = (items.array, items.count, items.first, items[1], items[0...1], items.map { $0 }, items.sorted(), items + [1])
        #expect(listener.changes.isEmpty)
        #expect(shelf.items == [1, 2, 3, 4])
    }

    @Test("Slices and iterators are values: they keep what was there")
    func slicesAndIteratorsAreValues() {
        var slice = items[1...2]
        slice[1] = 9
        slice.append(10)
        #expect(shelf.items == [1, 2, 3, 4])
        #expect(slice == [9, 3, 10])
        var seen: [Int] = []
        for item in items {
            seen.append(item)
            items.removeLast()
        }
        #expect(seen == [1, 2, 3, 4])
        #expect(shelf.items.isEmpty)
    }

    @Test func itRetainsItsObjectAndNothingElse() throws {
        let tracker = LifetimeTracker()
        var items: MutableArrayValue<Shelf, Int>? = tracker.track(Shelf(items: [1])).mutableArrayValue(for: \.items)
        items?.append(2)
        #expect(items?.array == [1, 2])
        #expect(tracker.survivors.count == 1)
        items = nil
        try tracker.expectAllGone()
    }

    @Test("What depends on the array hears of each operation, also if it reads it through a reference")
    func whatDependsOnItHears() {
        final class Box: KeyValueObject {
            @Observed var items = [1, 2]
            var sum: Int { mutableArrayValue(for: \.items).reduce(0, +) }
        }
        let (box, ofSum) = (Box(), Listener<Int>())
        ofSum.listen(to: box, \.sum)
        box.mutableArrayValue(for: \.items).append(3)
        box.mutableArrayValue(for: \.items).swapAt(0, 1)
        #expect(
            ofSum.changes == [
                KeyValueChange(newValue: 6, oldValue: 3), KeyValueChange(newValue: 6, oldValue: 6),
            ])
    }

    @Test("The storage is not copied, whatever observers ask for of what is new")
    func theStorageIsNotCopied() {
        shelf.items.reserveCapacity(100)
        func address() -> UInt { unsafe shelf.items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        let before = address()
        let (count, observations) = (Listener<Int>(), ObservationController(observer: listener))
        var heard = 0
        for isObserved in [false, true] {
            if isObserved {
                observations.observe(shelf, \.items, options: [.new, .prior]) { _, _, _ in heard += 1 }
                count.listen(to: shelf, \.items.count, .new)
            }
            items.append(5)
            #expect(address() == before)
            items.append(contentsOf: 6...9)
            items.insert(0, at: 0)
            items.insert(contentsOf: [7, 7], at: 3)
            items[3] = 8
            items.swapAt(0, 1)
            #expect(address() == before)
            items.replaceSubrange(1..<3, with: [])
            items.remove(at: RangeSet([0..<1, 3..<4]))
            items.replaceSubrange(0..<2, with: [3, 4])
            #expect(address() == before)
            items.removeAll { $0 == 4 }
            items.remove(at: 0)
            items.removeFirst()
            items.removeLast()
            #expect(address() == before, "observed: \(isObserved)")
        }
        #expect(heard == 26)
    }

    @Test func removingAllMayKeepTheCapacity() {
        items.append(contentsOf: 0..<100)
        items.removeAll(keepingCapacity: true)
        #expect(shelf.items.capacity >= 104)
        items.removeAll()
        #expect(shelf.items.capacity < 104)
    }

    @Test("A nested array is changed through an element: one replacement, also if the code that changes it throws")
    func anElementIsChangedInPlace() {
        struct Failure: Error {}
        func fail(_ numbers: inout [Int]) throws {
            numbers.append(9)
            throw Failure()
        }
        let (desk, heard) = (Desk(), Listener<[[Int]]>())
        desk.nested = [[1], [2]]
        heard.listen(to: desk, \.nested)
        let nested = desk.mutableArrayValue(for: \.nested)
        nested[0].append(3)
        nested[1][0] += 5
        #expect(throws: Failure.self) { try fail(&nested[1]) }
        #expect(desk.nested == [[1, 3], [7, 9]])
        func replacement(_ index: Int, _ old: [Int], _ new: [Int]) -> KeyValueChange<[[Int]]> {
            KeyValueChange(
                kind: .replacement, newValue: [new], oldValue: [old], indexes: RangeSet(index..<index + 1))
        }
        #expect(heard.changes == [replacement(0, [1], [1, 3]), replacement(1, [2], [7]), replacement(1, [7], [7, 9])])
    }

    @Test("Closures that are handed in may read the array, which is not open: they would trap")
    func closuresMayReadTheArray() async {
        await #expect(processExitsWith: .success) {
            let shelf = Shelf(items: [4, 1, 3, 2])
            let listener = Listener<[Int]>()
            listener.listen(to: shelf, \.items, [.old, .new, .prior])
            let items = shelf.mutableArrayValue(for: \.items)
            items.change { $0.sort { left, right in shelf.items.count == 4 && left < right } }
            items.append(contentsOf: (1...2).lazy.map { $0 + shelf.items.count })
            items.insert(contentsOf: (1...2).lazy.map { $0 + shelf.items.count }, at: 1)
            items.replaceSubrange(0..<1, with: (1...2).lazy.map { $0 + shelf.items.count })
            items.removeAll { $0 == shelf.items.count }
            func count(_ item: inout Int) { item = shelf.items.count }
            count(&items[0])
            precondition(listener.changes.count == 12, "Each operation is announced before and after.")
        }
    }

    @Test("A removed element may read the array while it is destroyed: it would trap if the array were open")
    func aRemovedElementMayReadTheArray() async {
        await #expect(processExitsWith: .success) {
            let (desk, listener) = (Desk(), Listener<[Note]>())
            let observations = ObservationController(observer: listener)
            let notes = desk.mutableArrayValue(for: \.notes)
            var ended = 0
            func note() -> Note { Note { [unowned desk] in ended += desk.notes.count >= 0 ? 1 : 0 } }
            let edits: [(MutableArrayValue<Desk, Note>) -> Void] = [
                { $0.remove(at: 1) }, { $0.removeFirst() }, { $0.removeLast() }, { $0.removeAll() },
                { $0.removeAll(keepingCapacity: true) }, { $0.removeAll { _ in true } }, { $0.remove(at: RangeSet([0..<1, 2..<3])) },
                { $0[1] = note() }, { $0.replaceSubrange(0..<2, with: [note(), note()]) }, { $0.replaceSubrange(0..<2, with: [note()]) },
                { $0.replaceSubrange(0..<2, with: []) }, { $0.change { $0[0] = note() } }, { $0.change { $0 = [] } },
            ]
            for isObserved in [false, true] {
                if isObserved { observations.observe(desk, \.notes, options: [.old, .new, .prior]) { _, _, _ in } }
                for edit in edits {
                    // A plain assignment would destroy the elements that are there while the array is open.
                    notes.removeAll()
                    desk.notes = (0..<4).map { _ in note() }
                    let before = ended
                    edit(notes)
                    precondition(ended > before, "Something is destroyed by each.")
                }
            }
            notes.removeAll()
            withExtendedLifetime((desk, listener)) {}
        }
    }
}
