import SafeKVO
import Testing

/// Arrays that belong to no object, as generic algorithms make them.
@Suite struct DetachedArrayTests {
    typealias Items = MutableArrayValue<Shelf, Int>

    let shelf = Shelf(items: [1, 2, 3])
    let listener = Listener<[Int]>()
    var items: Items { shelf.mutableArrayValue(for: \.items) }

    @Test("What is made of an array belongs to no object: the object's array stays as it is, and nobody hears")
    func whatIsMadeOfAnArrayIsDetached() {
        listener.listen(to: shelf, \.items)
        let made: [(Items, [Int])] = [
            (items + [4], [1, 2, 3, 4]),
            (items + (4...5), [1, 2, 3, 4, 5]),
            ((4...5) + items, [4, 5, 1, 2, 3]),
            (items + ArraySlice([4]), [1, 2, 3, 4]),
            (items + items, [1, 2, 3, 1, 2, 3]),
            (items + items + [4], [1, 2, 3, 1, 2, 3, 4]),
            (items.filter { $0 > 1 }, [2, 3]),
            (Items(items), [1, 2, 3]),
            (Items(repeating: 4, count: 2), [4, 4]),
            (Items(), []),
        ]
        for (made, expected) in made {
            #expect(made.array == expected)
            made.append(9)
            made.sort(by: >)
            #expect(made.array == (expected + [9]).sorted(by: >))
        }
        let plain = [0] + items
        #expect(plain == [0, 1, 2, 3])
        #expect(shelf.items == [1, 2, 3])
        #expect(listener.changes.isEmpty)
    }

    @Test func copiesOfADetachedArrayMeanTheSame() {
        let one = Items([1])
        let other = one
        other.append(2)
        #expect(one.array == [1, 2])
    }

    @Test("A detached array does what an attached one does", arguments: ArrayOperation.all)
    func aDetachedArrayDoesTheSame(_ operation: ArrayOperation) {
        let items = Items(operation.start)
        operation.run(items)
        #expect(items.array == operation.result)
    }

    @Test func differencesAreAppliedToADetachedArray() throws {
        listener.listen(to: shelf, \.items)
        let difference = [2, 3, 4].difference(from: shelf.items)
        let applied = try #require(items.applying(difference))
        #expect(applied.array == [2, 3, 4])
        #expect(shelf.items == [1, 2, 3])
        #expect(listener.changes.isEmpty)
    }
}
