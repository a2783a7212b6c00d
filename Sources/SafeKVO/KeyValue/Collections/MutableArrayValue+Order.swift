extension MutableArrayValue {
    /// Exchanges two elements.
    ///
    /// Announces a replacement at the two indexes; at one if they are the same.
    ///
    /// - Parameters:
    ///   - i: A position in range.
    ///   - j: A position in range.
    /// - Complexity: O(1)
    public func swapAt(_ i: Int, _ j: Int) {
        edit { array in
            Self.check(i, in: array)
            Self.check(j, in: array)
            return ArrayEdit(.replacement, at: RangeSet([i..<i + 1, j..<j + 1]), of: array, changesNothing: i == j)
        } _: {
            $0.swapAt(i, j)
        }
    }

    /// Turns the order of the elements round.
    ///
    /// Announces a replacement at all indexes.
    ///
    /// - Complexity: O(*n*)
    public func reverse() {
        edit {
            ArrayEdit(.replacement, at: $0.indices, of: $0)
        } _: {
            $0.reverse()
        }
    }

    /// Sorts the elements by a comparison.
    ///
    /// The comparison runs on a copy, before anything is announced; it may read the array. If it throws, the elements are left in some
    /// order, as in a plain array. Announces a replacement at all indexes.
    ///
    /// - Parameter areInIncreasingOrder: Whether the first of two elements belongs before the second.
    /// - Throws: what the comparison throws.
    /// - Complexity: O(*n* log *n*), and a copy of the elements.
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        try changeCopy { try $0.sort(by: areInIncreasingOrder) }
    }

    /// Puts the elements in random order.
    ///
    /// The generator runs before anything is announced. Announces a replacement at all indexes.
    ///
    /// - Parameter generator: Where the randomness comes from.
    /// - Complexity: O(*n*), and a copy of the elements.
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        changeCopy { $0.shuffle(using: &generator) }
    }

    /// Puts the elements in random order.
    ///
    /// Announces a replacement at all indexes.
    ///
    /// - Complexity: O(*n*), and a copy of the elements.
    public func shuffle() {
        changeCopy { $0.shuffle() }
    }

    /// Puts the elements that a closure chooses behind all others.
    ///
    /// The closure runs before anything is announced; it may read the array. If it throws, the elements are left in some order, as in a
    /// plain array. Announces a replacement at all indexes.
    ///
    /// - Parameter belongsInSecondPartition: Whether an element belongs to the second part.
    /// - Returns: where the second part begins.
    /// - Throws: what the closure throws.
    /// - Complexity: O(*n*), and a copy of the elements.
    @discardableResult
    public func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
        try changeCopy { try $0.partition(by: belongsInSecondPartition) }
    }

    /// Gathers the elements at some indexes before that at another.
    ///
    /// Announces a replacement at all indexes.
    ///
    /// - Parameters:
    ///   - subranges: Positions in range.
    ///   - insertionPoint: A position in range, or the end.
    /// - Returns: where the elements are now.
    /// - Complexity: O(*n* log *n*), and a copy of the elements.
    @discardableResult
    public func moveSubranges(_ subranges: RangeSet<Int>, to insertionPoint: Int) -> Range<Int> {
        changeCopy { copy in
            Self.check(subranges, in: copy)
            Self.check(position: insertionPoint, in: copy)
            return copy.moveSubranges(subranges, to: insertionPoint)
        }
    }
}

extension MutableArrayValue where Element: Comparable {
    /// Sorts the elements.
    ///
    /// The comparison runs on a copy, before anything is announced. Announces a replacement at all indexes.
    ///
    /// - Complexity: O(*n* log *n*), and a copy of the elements.
    public func sort() {
        changeCopy { $0.sort() }
    }
}
