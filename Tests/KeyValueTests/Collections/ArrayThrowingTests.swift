import SafeKVO
import TestSupport
import Testing

/// Closures that throw: one change is announced, and the next is heard as any other.
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
    let listener = Listener<[Int]>()

    @Test("A predicate that throws removes nothing, which is a removal of nothing", arguments: 0...12)
    func removeAllThatThrows(calls: Int) {
        let shelf = Shelf(items: Self.start)
        let fuse = Fuse(calls)
        listener.listen(to: shelf, \.items)
        let items = shelf.mutableArrayValue(for: \.items)
        let hasThrown =
            (try? items.removeAll {
                try fuse.burn()
                return $0.isMultiple(of: 2)
            }) == nil
        #expect(hasThrown == (calls < 10))
        #expect(shelf.items == (hasThrown ? Self.start : [5, 1, 7, 3, 9]))
        items.append(0)
        #expect(
            listener.changes.map(\.told) == [
                hasThrown ? "after removal old [] at " : "after removal old [2, 8, 4, 6, 10] at 1..<3 4..<5 6..<7 8..<9",
                "after insertion new [0] at \(hasThrown ? "10..<11" : "5..<6")",
            ])
    }

    @Test("A predicate has an error type of its own")
    func aPredicateOfATypedError() {
        let items = Shelf(items: [1]).mutableArrayValue(for: \.items)
        do throws(Failure) {
            try items.removeAll { _ throws(Failure) in throw Failure() }
            Issue.record("Nothing was thrown.")
        } catch {
            let failure: Failure = error
            _ = failure
        }
    }

    @Test("Rule 12: a comparison in `change` that throws leaves the order that it leaves in a plain array: a setting", arguments: 0...40)
    func sortThatThrows(calls: Int) {
        var array = Self.start
        func sort(_ array: inout [Int]) throws {
            let fuse = Fuse(calls)
            try array.sort {
                try fuse.burn()
                return $0 < $1
            }
        }
        let shelf = Shelf(items: Self.start)
        listener.listen(to: shelf, \.items)
        let hasThrownPlainly = (try? sort(&array)) == nil
        let hasThrown = (try? shelf.mutableArrayValue(for: \.items).change { try sort(&$0) }) == nil
        #expect(hasThrown == hasThrownPlainly)
        #expect(shelf.items == array)
        #expect(listener.changes.map(\.told) == ["after old \(Self.start) new \(array)"])
    }

    @Test("An element whose change in place throws keeps what was done: a replacement of it")
    func elementChangeThatThrows() {
        func fail(_ item: inout Int) throws {
            item += 10
            throw Failure()
        }
        let shelf = Shelf(items: [1, 2, 3])
        listener.listen(to: shelf, \.items)
        #expect(throws: Failure.self) { try fail(&shelf.mutableArrayValue(for: \.items)[1]) }
        #expect(listener.changes.map(\.told) == ["after replacement old [2] new [12] at 1..<2"])
    }
}
