import SafeKVO
import TestSupport
import Testing

/// Random operations have the results that they have on a plain array, and what is heard of them tells the whole story.
@Suite struct ArrayRandomTests {
    /// Does the same to the proxy and to a plain array.
    private func change(_ items: MutableArrayValue<Shelf, Int>, _ array: inout [Int], _ generator: inout SeededGenerator) {
        let count = array.count
        func position() -> Int { Int.random(in: 0...count, using: &generator) }
        func number() -> Int { Int.random(in: 0..<10, using: &generator) }
        func numbers() -> [Int] { (0..<Int.random(in: 0..<4, using: &generator)).map { _ in number() } }
        func ordered(_ one: Int, _ other: Int) -> Range<Int> { min(one, other)..<max(one, other) }
        let (one, other) = (position(), position())
        let range = ordered(one, other)
        let (new, several) = (number(), numbers())
        switch Int.random(in: 0..<(count == 0 ? 9 : 15), using: &generator) {
        case 0: items.append(new); array.append(new)
        case 1: items.append(contentsOf: several); array.append(contentsOf: several)
        case 2: items.insert(new, at: one); array.insert(new, at: one)
        case 3: items.insert(contentsOf: several, at: one); array.insert(contentsOf: several, at: one)
        case 4: items.replaceSubrange(range, with: several); array.replaceSubrange(range, with: several)
        case 5: items.append(contentsOf: items.lazy.map { $0 + 1 }.prefix(3)); array.append(contentsOf: array.map { $0 + 1 }.prefix(3))
        case 6: items.removeAll { $0.isMultiple(of: 3) }; array.removeAll { $0.isMultiple(of: 3) }
        case 7: items.remove(at: RangeSet([range, 0..<one])); array.removeSubranges(RangeSet([range, 0..<one]))
        case 8:
            var copy = generator
            items.change { $0.shuffle(using: &generator) }
            array.shuffle(using: &copy)
        case 9: items[one % count] = new; array[one % count] = new
        case 10: items[one % count] += 1; array[one % count] += 1
        case 11: items.swapAt(one % count, other % count); array.swapAt(one % count, other % count)
        case 12: items.remove(at: one % count); array.remove(at: one % count)
        case 13: items.removeFirst(); array.removeFirst()
        default: items.removeLast(); array.removeLast()
        }
    }

    @Test("Each operation has the result that it has on a plain array, and is heard once", arguments: SeededGenerator.seeds)
    func operationsHaveTheSameResults(seed: UInt64) throws {
        let shelf = Shelf()
        let listener = Listener<[Int]>()
        listener.listen(to: shelf, \.items)
        var (array, replica): ([Int], [Int]) = ([], [])
        var generator = SeededGenerator(seed: seed)
        for step in 0..<800 {
            change(shelf.mutableArrayValue(for: \.items), &array, &generator)
            try #require(shelf.items == array, "step \(step)")
            let heard = listener.removeAll()
            try #require(heard.count == 1, "step \(step)")
            let difference = try #require(heard[0].difference, "step \(step)")
            replica = try #require(replica.applying(difference), "step \(step)")
            try #require(replica == array, "step \(step)")
        }
    }
}
