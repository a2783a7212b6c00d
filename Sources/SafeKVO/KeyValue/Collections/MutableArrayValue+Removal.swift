extension MutableArrayValue {
    /// Removes the element at a position.
    ///
    /// Notifies observers of a removal at the index.
    ///
    /// - Parameter index: The position of an element. Any other index traps.
    /// - Returns: the removed element.
    /// - Complexity: O(*n*)
    @inlinable
    @discardableResult
    public func remove(at index: Int) -> Element {
        edit { array in
            Self.check(index, in: array)
            return ArrayEdit(.removal, at: index..<index + 1, of: array)
        } _: {
            $0.remove(at: index)
        }
    }

    /// Removes the first element.
    ///
    /// Notifies observers of a removal at the first index. Traps if the array is empty.
    ///
    /// - Returns: the removed element.
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

    /// Removes the first `k` elements.
    ///
    /// Notifies observers of a removal at the first indexes. Traps if the array has fewer elements.
    ///
    /// - Complexity: O(*n*)
    public func removeFirst(_ k: Int) {
        remove { array in
            Self.check(number: k, in: array, "removeFirst(_:)")
            return RangeSet(0..<k)
        }
    }

    /// Removes the last element.
    ///
    /// Notifies observers of a removal at the last index. Traps if the array is empty.
    ///
    /// - Returns: the removed element.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public func removeLast() -> Element {
        edit { array in
            Self.check(isNotEmpty: array)
            return ArrayEdit(.removal, at: array.count - 1..<array.count, of: array)
        } _: {
            $0.removeLast()
        }
    }

    /// Removes the last `k` elements.
    ///
    /// Notifies observers of a removal at the last indexes. Traps if the array has fewer elements.
    ///
    /// - Complexity: O(*k*)
    public func removeLast(_ k: Int) {
        remove { array in
            Self.check(number: k, in: array, "removeLast(_:)")
            return RangeSet(array.count - k..<array.count)
        }
    }

    /// Removes the last element, if there is one.
    ///
    /// Notifies observers of a removal at the last index, or of an empty removal if the array is empty.
    ///
    /// - Returns: the removed element; nil if there was none.
    /// - Complexity: O(1)
    @discardableResult
    public func popLast() -> Element? {
        edit {
            ArrayEdit(.removal, at: Swift.max($0.count - 1, 0)..<$0.count, of: $0)
        } _: {
            $0.popLast()
        }
    }

    /// Removes the elements in a range.
    ///
    /// Notifies observers of a removal at the indexes.
    ///
    /// - Parameter bounds: The positions of the elements. A range that is not within the array traps.
    /// - Complexity: O(*n*)
    public func removeSubrange(_ bounds: Range<Int>) {
        remove { array in
            Self.check(bounds, in: array)
            return RangeSet(bounds)
        }
    }

    /// Removes the elements in a range of any kind.
    ///
    /// Notifies observers of a removal at the indexes.
    ///
    /// - Parameter bounds: The positions of the elements. A range that is not within the array traps.
    /// - Complexity: O(*n*)
    public func removeSubrange<Bounds: RangeExpression<Int>>(_ bounds: Bounds) {
        removeSubrange(positions(bounds))
    }

    /// Removes the elements at some indexes.
    ///
    /// Notifies observers of a removal at the indexes.
    ///
    /// - Parameter indexes: The positions of the elements. An index without an element traps.
    /// - Complexity: O(*n*)
    public func remove(at indexes: RangeSet<Int>) {
        remove { array in
            Self.check(indexes, in: array)
            return indexes
        }
    }

    /// Removes the elements at some indexes, as ``remove(at:)-(RangeSet<Int>)`` does.
    ///
    /// - Parameter subranges: The positions of the elements. An index without an element traps.
    /// - Complexity: O(*n*)
    public func removeSubranges(_ subranges: RangeSet<Int>) {
        remove(at: subranges)
    }

    /// Removes all elements.
    ///
    /// Notifies observers of a removal at all indexes.
    ///
    /// - Parameter keepingCapacity: `true` if the array should keep its capacity.
    /// - Complexity: O(1) besides the release of the elements.
    public func removeAll(keepingCapacity: Bool = false) {
        edit { array -> (edit: ArrayEdit<Element>, state: [Element]) in
            var empty: [Element] = []
            if keepingCapacity { empty.reserveCapacity(array.capacity) }
            return (ArrayEdit(.removal, at: array.indices, of: array), empty)
        } _: { array, state in
            swap(&array, &state)
        }
    }

    /// Removes the elements for which a closure returns `true`.
    ///
    /// Notifies observers of a removal at the indexes of these elements. The closure is called for each element before any observer is
    /// called, and may read the array.
    ///
    /// If the closure throws, no element is removed, but elements may have changed places, as in a plain array. Observers then get a
    /// replacement at the indexes from the first to the last element that changed its place.
    ///
    /// - Parameter shouldBeRemoved: Returns `true` if an element should be removed.
    /// - Throws: the error of the closure.
    /// - Complexity: O(*n*)
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try removeAll(asking: shouldBeRemoved)
    }

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

    /// Computes the array that `Array.removeAll(where:)` leaves behind if its closure throws `error`.
    ///
    /// `verdicts` contains the results that the closure returned before the error. No element is removed then, but some may have changed
    /// places: those in the range `moved`, of which observers are notified.
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

    private func remove(_ choose: ([Element]) -> RangeSet<Int>) {
        edit { array -> (edit: ArrayEdit<Element>, state: (chosen: RangeSet<Int>, gone: [Element])) in
            let chosen = choose(array)
            return (ArrayEdit(.removal, at: chosen, of: array), (chosen, []))
        } _: { array, state in
            state.gone = Self.take(state.chosen, outOf: &array)
        }
    }

    private static func take(_ indexes: RangeSet<Int>, outOf array: inout [Element]) -> [Element] {
        let gone = ArrayEdit.elements(of: array, at: indexes)
        if indexes.ranges.count == 1 {
            array.removeSubrange(indexes.ranges[0])
        } else {
            array.removeSubranges(indexes)
        }
        return gone
    }

    @usableFromInline
    static func check(isNotEmpty array: [Element]) {
        Mistake.check(!array.isEmpty, "\(Self.self).removeLast() was called, but the array is empty. Call `popLast()` instead.")
    }

    private static func check(number: Int, in array: [Element], _ name: StaticString) {
        Mistake.check(
            number >= 0 && number <= array.count,
            "\(Self.self).\(name) cannot remove \(number) elements, because the array has \(array.count). Pass a number from 0 through `count`."
        )
    }
}
