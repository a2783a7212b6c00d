import SafeKVO
import Testing

/// Closures that throw leave the array as they leave a plain one; there is one change, and the next is heard as any other.
@Suite struct ArrayThrowingTests {
    struct Failure: Error {}

    /// Fails at the call whose number it has.
    final class Fuse {
        private var remaining: Int

        init(_ remaining: Int) {
            self.remaining = remaining
        }

        func burn() throws {
            remaining -= 1
            if remaining < 0 { throw Failure() }
        }
    }

    static let start = [5, 2, 8, 1, 4, 7, 6, 3, 10, 9]

    /// Runs one operation on a plain array and on the subject's.
    ///
    /// - Returns: what was heard, and whether the closure threw; nil if the results differ.
    private func run(
        _ start: [Int], _ calls: Int, plain: (inout [Int], Fuse) throws -> Void,
        reference: (MutableArrayValue<Shelf, Int>, Fuse) throws -> Void
    ) -> (heard: [KeyValueChange<[Int]>], hasThrown: Bool) {
        var array = start
        let shelf = Shelf(items: start)
        let listener = Listener<[Int]>()
        listener.listen(to: shelf, \.items)
        let hasThrownPlainly = (try? plain(&array, Fuse(calls))) == nil
        let hasThrown = (try? reference(shelf.mutableArrayValue(for: \.items), Fuse(calls))) == nil
        #expect(shelf.items == array, "\(calls) calls")
        #expect(hasThrown == hasThrownPlainly, "\(calls) calls")
        let heard = listener.removeAll()
        let replica = heard.first?.difference.flatMap { start.applying($0) }
        #expect(replica == array, "\(calls) calls: \(heard)")
        shelf.mutableArrayValue(for: \.items).append(0)
        #expect(listener.changes.map(\.kind) == [.insertion])
        return (heard, hasThrown)
    }

    @Test("A predicate that throws removes nothing: a replacement of what was moved", arguments: 0...12)
    func removeAllThatThrows(calls: Int) throws {
        let (heard, hasThrown) = run(Self.start, calls) { array, fuse in
            try array.removeAll {
                try fuse.burn()
                return $0.isMultiple(of: 2)
            }
        } reference: { items, fuse in
            try items.removeAll {
                try fuse.burn()
                return $0.isMultiple(of: 2)
            }
        }
        #expect(heard.count == 1)
        #expect(hasThrown == (calls < 10))
        #expect(heard[0].kind == (hasThrown ? .replacement : .removal))
        // Moved are those from the first chosen, 2 at 1, to the last that was kept.
        let moved: [RangeSet<Int>] = [
            RangeSet(), RangeSet(), RangeSet(), RangeSet(), RangeSet(1..<4), RangeSet(1..<4), RangeSet(1..<6), RangeSet(1..<6),
            RangeSet(1..<8), RangeSet(1..<8),
        ]
        #expect(heard[0].indexes == (hasThrown ? moved[calls] : RangeSet([1..<3, 4..<5, 6..<7, 8..<9])))
    }

    @Test("A comparison that throws leaves some order: a replacement of all", arguments: 0...40)
    func sortThatThrows(calls: Int) {
        let (heard, _) = run(Self.start, calls) { array, fuse in
            try array.sort {
                try fuse.burn()
                return $0 < $1
            }
        } reference: { items, fuse in
            try items.sort {
                try fuse.burn()
                return $0 < $1
            }
        }
        #expect(heard.map(\.kind) == [.replacement])
        #expect(heard.map(\.indexes) == [RangeSet(0..<10)])
    }

    @Test("A partition that throws leaves some order: a replacement of all", arguments: 0...12)
    func partitionThatThrows(calls: Int) {
        let (heard, _) = run(Self.start, calls) { array, fuse in
            _ = try array.partition {
                try fuse.burn()
                return $0 > 4
            }
        } reference: { items, fuse in
            _ = try items.partition {
                try fuse.burn()
                return $0 > 4
            }
        }
        #expect(heard.map(\.kind) == [.replacement])
        #expect(heard.map(\.indexes) == [RangeSet(0..<10)])
    }

    @Test("A change of the storage that throws keeps what was done: a replacement of all", arguments: 0...3)
    func storageChangeThatThrows(calls: Int) {
        let (heard, _) = run([1, 2, 3], calls) { array, fuse in
            try unsafe array.withContiguousMutableStorageIfAvailable { buffer in
                for index in buffer.indices {
                    try fuse.burn()
                    unsafe buffer[index] += 10
                }
            }
        } reference: { items, fuse in
            try unsafe items.withContiguousMutableStorageIfAvailable { buffer in
                for index in buffer.indices {
                    try fuse.burn()
                    unsafe buffer[index] += 10
                }
            }
        }
        #expect(heard.map(\.kind) == [.replacement])
        #expect(heard.map(\.indexes) == [RangeSet(0..<3)])
    }

    @Test("An element whose change in place throws keeps what was done: a replacement of it")
    func elementChangeThatThrows() {
        func fail(_ item: inout Int) throws {
            item += 10
            throw Failure()
        }
        let (heard, hasThrown) = run([1, 2, 3], 0) { array, _ in
            try fail(&array[1])
        } reference: { items, _ in
            try fail(&items[1])
        }
        #expect(hasThrown)
        #expect(
            heard == [
                KeyValueChange(kind: .replacement, newValue: [12], oldValue: [2], indexes: RangeSet(1..<2), keyPath: \Shelf.items)
            ])
    }
}
