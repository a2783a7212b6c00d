extension MutableArrayValue {
    /// Removes the element at a position.
    ///
    /// Announces a removal at the index.
    ///
    /// - Parameter index: A position in range.
    /// - Returns: the element.
    /// - Complexity: O(*n*)
    @discardableResult
    public func remove(at index: Int) -> Element {
        checkIndex(index)
        return edit(.removal, at: index..<index + 1) { $0.remove(at: index) }
    }

    /// Removes the first element, which must be there.
    ///
    /// Announces a removal at the first index.
    ///
    /// - Returns: the element.
    /// - Complexity: O(*n*)
    @discardableResult
    public func removeFirst() -> Element {
        precondition(!isEmpty, "MutableArrayValue.removeFirst(): there is no element.")
        return edit(.removal, at: 0..<1) { $0.removeFirst() }
    }

    /// Removes elements at the beginning, which must be there.
    ///
    /// Announces a removal at the first indexes.
    ///
    /// - Parameter k: How many.
    /// - Complexity: O(*n*)
    public func removeFirst(_ k: Int) {
        checkNumber(k, "removeFirst(_:)")
        remove(0..<k)
    }

    /// Removes the last element, which must be there.
    ///
    /// Announces a removal at the last index.
    ///
    /// - Returns: the element.
    /// - Complexity: O(1)
    @discardableResult
    public func removeLast() -> Element {
        let count = count
        precondition(count > 0, "MutableArrayValue.removeLast(): there is no element.")
        return edit(.removal, at: count - 1..<count) { $0.removeLast() }
    }

    /// Removes elements at the end, which must be there.
    ///
    /// Announces a removal at the last indexes.
    ///
    /// - Parameter k: How many.
    /// - Complexity: O(*k*)
    public func removeLast(_ k: Int) {
        checkNumber(k, "removeLast(_:)")
        let count = count
        remove(count - k..<count)
    }

    /// Removes the last element, if there is one.
    ///
    /// Announces a removal at the last index; at none if there is no element.
    ///
    /// - Returns: the element, or nil.
    /// - Complexity: O(1)
    @discardableResult
    public func popLast() -> Element? {
        let count = count
        return edit(.removal, at: Swift.max(count - 1, 0)..<count) { $0.popLast() }
    }

    /// Removes the elements at some positions.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(*n*)
    public func removeSubrange(_ bounds: Range<Int>) {
        checkBounds(bounds)
        remove(bounds)
    }

    /// Removes the elements at some positions.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(*n*)
    public func removeSubrange<Bounds: RangeExpression<Int>>(_ bounds: Bounds) {
        removeSubrange(bounds.relative(to: indices))
    }

    /// Removes the elements at some indexes.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter indexes: Positions in range.
    /// - Complexity: O(*n*)
    public func remove(at indexes: RangeSet<Int>) {
        checkIndexes(indexes)
        _ = edit(.removal, at: indexes, changesNothing: indexes.isEmpty) { array in
            let gone = Self.elements(of: array, at: indexes)
            array.removeSubranges(indexes)
            return gone
        }
    }

    /// Removes the elements at some indexes: the same as ``remove(at:)-(RangeSet<Int>)``.
    ///
    /// - Parameter subranges: Positions in range.
    /// - Complexity: O(*n*)
    public func removeSubranges(_ subranges: RangeSet<Int>) {
        remove(at: subranges)
    }

    /// Removes all elements.
    ///
    /// Announces a removal at all indexes.
    ///
    /// - Parameter keepingCapacity: Whether the array should have room for as many elements as it has now.
    /// - Complexity: O(1) beside the release of the elements.
    public func removeAll(keepingCapacity: Bool = false) {
        _ = edit(.removal, at: indices) { array in
            var gone: [Element] = []
            if keepingCapacity { gone.reserveCapacity(array.capacity) }
            swap(&array, &gone)
            return gone
        }
    }

    /// Removes the elements that a closure wants removed.
    ///
    /// The closure is asked about each element before anything is announced; it may read the array. Announces a removal at the indexes of
    /// what it chose. If the closure throws, nothing is removed, but elements may have been moved, as in a plain array; announces a
    /// replacement at the indexes from the first to the last of these.
    ///
    /// - Parameter shouldBeRemoved: Whether an element should go.
    /// - Throws: what the closure throws.
    /// - Complexity: O(*n*)
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        var verdicts: [Bool] = []
        do {
            try ask(shouldBeRemoved, &verdicts)
        } catch {
            breakOff(verdicts, error)
            throw error
        }
        var (ranges, index): ([Range<Int>], Int) = ([], 0)
        while index < verdicts.count {
            let start = index
            while index < verdicts.count, verdicts[index] { index += 1 }
            if start < index { ranges.append(start..<index) }
            index += 1
        }
        remove(at: RangeSet(ranges))
    }

    /// Asks a closure about each element.
    ///
    /// A function of its own, so that nothing holds the elements when it returns.
    private func ask(_ shouldBeRemoved: (Element) throws -> Bool, _ verdicts: inout [Bool]) rethrows {
        let array = array
        verdicts.reserveCapacity(array.count)
        for element in array { verdicts.append(try shouldBeRemoved(element)) }
    }

    /// Leaves the elements where an array leaves them when its predicate throws after so many verdicts.
    private func breakOff(_ verdicts: [Bool], _ error: any Error) {
        var moved = 0..<0
        if let first = verdicts.firstIndex(of: true), let last = verdicts.lastIndex(of: false), first < last { moved = first..<last + 1 }
        var result = array
        var remaining = verdicts.makeIterator()
        try? result.removeAll { _ in
            guard let verdict = remaining.next() else { throw error }
            return verdict
        }
        edit(.replacement, at: moved) { swap(&$0, &result) }
    }

    /// Removes elements at positions that were checked.
    private func remove(_ bounds: Range<Int>) {
        _ = edit(.removal, at: bounds) { array in
            let gone = Array(array[bounds])
            array.removeSubrange(bounds)
            return gone
        }
    }

    private func checkNumber(_ number: Int, _ name: StaticString) {
        let count = count
        precondition(
            number >= 0 && number <= count, "MutableArrayValue.\(name): \(number) elements cannot be removed; there are \(count).")
    }

    /// Traps unless there is an element at each index.
    func checkIndexes(_ indexes: RangeSet<Int>) {
        let count = count
        precondition(
            Self.areWithin(0..<count, indexes), "MutableArrayValue: \(indexes) is out of range; there are \(count) elements.")
    }
}
