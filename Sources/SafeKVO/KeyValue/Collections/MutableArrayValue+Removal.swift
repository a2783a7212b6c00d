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
        edit { array in
            Self.check(index, in: array)
            return ArrayEdit(.removal, at: index..<index + 1, of: array)
        } _: {
            $0.remove(at: index)
        }
    }

    /// Removes the first element, which must be there.
    ///
    /// Announces a removal at the first index.
    ///
    /// - Returns: the element.
    /// - Complexity: O(*n*)
    @discardableResult
    public func removeFirst() -> Element {
        edit { array in
            Mistake.check(!array.isEmpty, "\(Self.self).removeFirst() was called, but the array is empty. Look at `isEmpty` first.")
            return ArrayEdit(.removal, at: 0..<1, of: array)
        } _: {
            $0.removeFirst()
        }
    }

    /// Removes elements at the beginning, which must be there.
    ///
    /// Announces a removal at the first indexes.
    ///
    /// - Parameter k: How many.
    /// - Complexity: O(*n*)
    public func removeFirst(_ k: Int) {
        remove { array in
            Self.check(number: k, in: array, "removeFirst(_:)")
            return RangeSet(0..<k)
        }
    }

    /// Removes the last element, which must be there.
    ///
    /// Announces a removal at the last index.
    ///
    /// - Returns: the element.
    /// - Complexity: O(1)
    @discardableResult
    public func removeLast() -> Element {
        edit { array in
            Mistake.check(!array.isEmpty, "\(Self.self).removeLast() was called, but the array is empty. Call `popLast()` instead.")
            return ArrayEdit(.removal, at: array.count - 1..<array.count, of: array)
        } _: {
            $0.removeLast()
        }
    }

    /// Removes elements at the end, which must be there.
    ///
    /// Announces a removal at the last indexes.
    ///
    /// - Parameter k: How many.
    /// - Complexity: O(*k*)
    public func removeLast(_ k: Int) {
        remove { array in
            Self.check(number: k, in: array, "removeLast(_:)")
            return RangeSet(array.count - k..<array.count)
        }
    }

    /// Removes the last element, if there is one.
    ///
    /// Announces a removal at the last index; at none if there is no element.
    ///
    /// - Returns: the element, or nil.
    /// - Complexity: O(1)
    @discardableResult
    public func popLast() -> Element? {
        edit {
            ArrayEdit(.removal, at: Swift.max($0.count - 1, 0)..<$0.count, of: $0)
        } _: {
            $0.popLast()
        }
    }

    /// Removes the elements at some positions.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(*n*)
    public func removeSubrange(_ bounds: Range<Int>) {
        remove { array in
            Self.check(bounds, in: array)
            return RangeSet(bounds)
        }
    }

    /// Removes the elements at some positions.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(*n*)
    public func removeSubrange<Bounds: RangeExpression<Int>>(_ bounds: Bounds) {
        removeSubrange(positions(bounds))
    }

    /// Removes the elements at some indexes.
    ///
    /// Announces a removal at the indexes.
    ///
    /// - Parameter indexes: Positions in range.
    /// - Complexity: O(*n*)
    public func remove(at indexes: RangeSet<Int>) {
        remove { array in
            Self.check(indexes, in: array)
            return indexes
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
        edit { array -> (edit: ArrayEdit<Element>, state: [Element]) in
            var empty: [Element] = []
            if keepingCapacity { empty.reserveCapacity(array.capacity) }
            return (ArrayEdit(.removal, at: array.indices, of: array), empty)
        } _: { array, state in
            swap(&array, &state)
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
        try removeAll(asking: shouldBeRemoved)
    }

    /// Removes the elements that a closure wants removed; if it throws, leaves all of them where an array leaves them.
    private func removeAll<Failure: Error>(asking shouldBeRemoved: (Element) throws(Failure) -> Bool) throws(Failure) {
        typealias State = (chosen: RangeSet<Int>, rest: [Element], failure: Failure?)
        let failure: Failure? = edit { array -> (edit: ArrayEdit<Element>, state: State) in
            var verdicts: [Bool] = []
            verdicts.reserveCapacity(array.count)
            do throws(Failure) {
                for element in array { verdicts.append(try shouldBeRemoved(element)) }
            } catch {
                let (moved, rest) = Self.breakingOff(array, verdicts, error)
                return (ArrayEdit(.replacement, at: moved, of: array), (RangeSet(), rest, error))
            }
            let chosen = verdicts.indices(of: true)
            return (ArrayEdit(.removal, at: chosen, of: array), (chosen, [], nil))
        } _: { array, state in
            if state.failure == nil {
                state.rest = Self.take(state.chosen, outOf: &array)
            } else {
                swap(&array, &state.rest)
            }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Where an array leaves its elements when its predicate throws after so many verdicts, and which it has moved.
    private static func breakingOff(_ array: [Element], _ verdicts: [Bool], _ error: any Error) -> (moved: Range<Int>, result: [Element]) {
        var moved = 0..<0
        if let first = verdicts.firstIndex(of: true), let last = verdicts.lastIndex(of: false), first < last { moved = first..<last + 1 }
        var result = array
        var remaining = verdicts.makeIterator()
        try? result.removeAll { _ in
            guard let verdict = remaining.next() else { throw error }
            return verdict
        }
        return (moved, result)
    }

    /// Removes the elements at the positions that are chosen, and checked, for an array.
    private func remove(_ choose: ([Element]) -> RangeSet<Int>) {
        edit { array -> (edit: ArrayEdit<Element>, state: (chosen: RangeSet<Int>, gone: [Element])) in
            let chosen = choose(array)
            return (ArrayEdit(.removal, at: chosen, of: array), (chosen, []))
        } _: { array, state in
            state.gone = Self.take(state.chosen, outOf: &array)
        }
    }

    /// Removes elements and hands them out.
    private static func take(_ indexes: RangeSet<Int>, outOf array: inout [Element]) -> [Element] {
        let gone = ArrayEdit.elements(of: array, at: indexes)
        if indexes.ranges.count == 1 {
            array.removeSubrange(indexes.ranges[0])
        } else {
            array.removeSubranges(indexes)
        }
        return gone
    }

    private static func check(number: Int, in array: [Element], _ name: StaticString) {
        Mistake.check(
            number >= 0 && number <= array.count,
            "\(Self.self).\(name) cannot remove \(number) elements, because the array has \(array.count). Pass a number from 0 through `count`."
        )
    }
}
