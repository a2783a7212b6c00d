import SafeKVO
import Testing

/// Random operations have the results that they have on a plain array, and what is heard of them tells the whole story.
@Suite struct ArrayRandomTests {
    /// What every collection of this sort can do: for the plain array and for the reference.
    private func change<C: RangeReplaceableCollection & MutableCollection & RandomAccessCollection>(
        _ elements: inout C, _ generator: inout SeededGenerator
    ) where C.Element == Int, C.Index == Int {
        let count = elements.count
        func position() -> Int { Int.random(in: 0...count, using: &generator) }
        func range() -> Range<Int> {
            let (start, end) = (position(), position())
            return min(start, end)..<max(start, end)
        }
        func index() -> Int { Int.random(in: 0..<count, using: &generator) }
        func number() -> Int { Int.random(in: 0..<10, using: &generator) }
        func numbers() -> [Int] { (0..<Int.random(in: 0..<4, using: &generator)).map { _ in number() } }
        switch Int.random(in: 0..<(count == 0 ? 11 : 28), using: &generator) {
        case 0: elements.append(number())
        case 1: elements.append(contentsOf: numbers())
        case 2: elements.insert(number(), at: position())
        case 3: elements.insert(contentsOf: numbers(), at: position())
        case 4: elements.replaceSubrange(range(), with: numbers())
        case 5: elements += numbers()
        case 6: elements.append(contentsOf: elements.lazy.map { $0 + 1 }.prefix(3))
        case 7: elements.reverse()
        case 8: elements.sort()
        case 9: elements.shuffle(using: &generator)
        case 10: elements.removeAll { $0.isMultiple(of: 3) }
        case 11: elements[index()] = number()
        case 12: elements[index()] += 1
        case 13: elements.swapAt(index(), index())
        case 14: elements.remove(at: index())
        case 15: elements.removeFirst()
        case 16: elements.removeLast()
        case 17: _ = elements.popLast()
        case 18: elements.removeFirst(position())
        case 19: elements.removeLast(position())
        case 20: elements.removeSubrange(range())
        case 21: elements.sort { $0 % 4 > $1 % 4 }
        case 22: _ = elements.partition { $0.isMultiple(of: 2) }
        case 23:
            let range = range()
            elements[range] = elements[range]
        case 24: elements.removeSubranges(RangeSet([range(), range()]))
        case 25: elements.moveSubranges(RangeSet([range()]), to: position())
        case 26: elements.removeAll(keepingCapacity: number() < 5)
        default: elements[range()].reverse()
        }
    }

    /// What a plain array and the reference can do without being taken for the same thing: the reference's own methods.
    private func change(
        _ items: MutableArrayValue<Shelf, Int>, _ array: inout [Int], _ generator: inout SeededGenerator
    ) {
        var other = generator
        let count = array.count
        func position() -> Int { Int.random(in: 0...count, using: &generator) }
        let (one, two) = (position(), position())
        let range = min(one, two)..<max(one, two)
        switch Int.random(in: 0..<9, using: &other) {
        case 0: items.reverse(); array.reverse()
        case 1: items.sort(); array.sort()
        case 2:
            (generator, other) = (SeededGenerator(seed: other.next()), generator)
            var copy = generator
            items.shuffle(using: &generator)
            array.shuffle(using: &copy)
        case 3: items.removeSubranges(RangeSet(range)); array.removeSubranges(RangeSet(range))
        case 4: items.moveSubranges(RangeSet(range), to: one); array.moveSubranges(RangeSet(range), to: one)
        case 5: items[range].sort(by: >); array[range].sort(by: >)
        case 6: items.removeFirst(one); array.removeFirst(one)
        case 7: items.removeAll { $0 > 6 }; array.removeAll { $0 > 6 }
        default: items.append(contentsOf: [one, two, one, two]); array.append(contentsOf: [one, two, one, two])
        }
    }

    @Test("Generic code has the results that it has on a plain array; the changes heard lead there", arguments: SeededGenerator.seeds)
    func genericCodeHasTheSameResults(seed: UInt64) throws {
        let shelf = Shelf()
        let listener = Listener<[Int]>()
        listener.listen(to: shelf, \.items)
        var (items, array, replica): (_, [Int], [Int]) = (shelf.mutableArrayValue(for: \.items), [], [])
        var generator = SeededGenerator(seed: seed)
        for step in 0..<400 {
            var copy = generator
            change(&items, &generator)
            change(&array, &copy)
            try #require(shelf.items == array, "step \(step)")
            for heard in listener.removeAll() {
                let difference = try #require(heard.difference, "step \(step)")
                replica = try #require(replica.applying(difference), "step \(step)")
            }
            try #require(replica == array, "step \(step)")
        }
    }

    @Test("Each of its own methods has the result that it has on a plain array, and is heard once", arguments: SeededGenerator.seeds)
    func ownMethodsHaveTheSameResults(seed: UInt64) throws {
        let shelf = Shelf()
        let listener = Listener<[Int]>()
        listener.listen(to: shelf, \.items)
        var (array, replica): ([Int], [Int]) = ([], [])
        var generator = SeededGenerator(seed: seed)
        for step in 0..<400 {
            change(shelf.mutableArrayValue(for: \.items), &array, &generator)
            try #require(shelf.items == array, "step \(step)")
            let heard = listener.removeAll()
            try #require(heard.count == 1, "step \(step)")
            let difference = try #require(heard[0].difference, "step \(step)")
            replica = try #require(replica.applying(difference), "step \(step)")
            try #require(replica == array, "step \(step)")
        }
    }

    @Test("What generic code must ask for itself is one change there as well; what it makes of swaps, a change for each")
    func genericCodeAnnouncesWhatItCalls() {
        func calls<C: RangeReplaceableCollection & MutableCollection & RandomAccessCollection>(_ elements: inout C) -> Int
        where C.Element == Int, C.Index == Int {
            elements.append(1)
            elements.append(contentsOf: [1, 2])
            elements.insert(3, at: 0)
            elements.insert(contentsOf: [5, 4], at: 1)
            elements.replaceSubrange(0..<1, with: [7, 8])
            elements.remove(at: 1)
            elements.removeFirst()
            elements.removeLast()
            elements.removeFirst(1)
            elements.removeLast(1)
            elements.removeSubrange(0..<0)
            elements[0] = 6
            elements[0..<1] = elements[1..<2]
            elements.swapAt(0, 1)
            elements.sort()
            elements.sort(by: >)
            _ = elements.partition { $0 > 1 }
            elements.removeAll { $0 > 6 }
            elements.removeAll(keepingCapacity: true)
            return 19
        }
        let shelf = Shelf(items: [1, 2])
        let listener = Listener<[Int]>()
        listener.listen(to: shelf, \.items)
        var items = shelf.mutableArrayValue(for: \.items)
        #expect(calls(&items) == listener.removeAll().count)

        func reverse<C: MutableCollection & BidirectionalCollection>(_ elements: inout C) { elements.reverse() }
        shelf.items = [1, 2, 3, 4]
        _ = listener.removeAll()
        reverse(&items)
        #expect(listener.changes.map(\.indexes) == [RangeSet([0..<1, 3..<4]), RangeSet(1..<3)])
    }
}
