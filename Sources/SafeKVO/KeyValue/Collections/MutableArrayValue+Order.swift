extension MutableArrayValue {
    /// Exchanges two elements.
    ///
    /// Notifies observers of a replacement at the two indexes. If `i` equals `j`, observers get a replacement at that one index.
    ///
    /// - Parameters:
    ///   - i: The position of an element. Any other index traps.
    ///   - j: The position of an element. Any other index traps.
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

    /// Reverses the order of the elements.
    ///
    /// Notifies observers of a replacement at all indexes.
    ///
    /// - Complexity: O(*n*)
    public func reverse() {
        edit {
            ArrayEdit(.replacement, at: $0.indices, of: $0)
        } _: {
            $0.reverse()
        }
    }

    /// Sorts the elements with a comparison.
    ///
    /// Notifies observers of a replacement at all indexes. The comparison runs before any observer is called, and may read the array. If it
    /// throws, the elements stay in the order that the sort has reached, as in a plain array.
    ///
    /// - Parameter areInIncreasingOrder: Returns `true` if its first argument belongs before its second.
    /// - Throws: the error of the comparison.
    /// - Complexity: O(*n* log *n*), and a copy of the elements.
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        try changeCopy { try $0.sort(by: areInIncreasingOrder) }
    }

    /// Puts the elements in random order, with a random number generator.
    ///
    /// Notifies observers of a replacement at all indexes. The generator runs before any observer is called.
    ///
    /// - Complexity: O(*n*), and a copy of the elements.
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        changeCopy { $0.shuffle(using: &generator) }
    }

    /// Puts the elements in random order.
    ///
    /// Notifies observers of a replacement at all indexes.
    ///
    /// - Complexity: O(*n*), and a copy of the elements.
    public func shuffle() {
        changeCopy { $0.shuffle() }
    }

    /// Moves the elements for which a closure returns `true` behind all others.
    ///
    /// Notifies observers of a replacement at all indexes. The closure runs before any observer is called, and may read the array. If it
    /// throws, the elements stay in the order that the operation has reached, as in a plain array.
    ///
    /// - Parameter belongsInSecondPartition: Returns `true` if an element belongs to the second part.
    /// - Returns: the position at which the second part begins.
    /// - Throws: the error of the closure.
    /// - Complexity: O(*n*), and a copy of the elements.
    @discardableResult
    public func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
        try changeCopy { try $0.partition(by: belongsInSecondPartition) }
    }

    /// Moves the elements at some indexes to one place in the array, where they are next to each other.
    ///
    /// Notifies observers of a replacement at all indexes.
    ///
    /// - Parameters:
    ///   - subranges: The positions of the elements to move. An index without an element traps.
    ///   - insertionPoint: The position of the element before which the moved elements are put, or the end. Any other index traps.
    /// - Returns: the positions of the moved elements after the change.
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
    /// Notifies observers of a replacement at all indexes. The comparison runs on a copy, before any observer is called.
    ///
    /// - Complexity: O(*n* log *n*), and a copy of the elements.
    public func sort() {
        changeCopy { $0.sort() }
    }
}
