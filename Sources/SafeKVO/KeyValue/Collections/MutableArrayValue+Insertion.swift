extension MutableArrayValue {
    /// Adds an element at the end.
    ///
    /// Announces an insertion at the last index.
    ///
    /// - Parameter newElement: The element.
    /// - Complexity: O(1) amortised, also if observers ask for the new elements.
    public func append(_ newElement: Element) {
        let end = count
        edit(.insertion, at: end..<end + 1) { $0.append(newElement) }
    }

    /// Adds elements at the end.
    ///
    /// Announces an insertion at the last indexes.
    ///
    /// - Parameter newElements: The elements; the sequence is gone through before the change, and may be this array itself.
    /// - Complexity: O(*k*) amortised for *k* elements.
    public func append<Elements: Sequence>(contentsOf newElements: Elements) where Elements.Element == Element {
        let newElements = Array(newElements)
        let end = count
        edit(.insertion, at: end..<end + newElements.count) { $0.append(contentsOf: newElements) }
    }

    /// Puts an element before that at a position.
    ///
    /// Announces an insertion at the index.
    ///
    /// - Parameters:
    ///   - newElement: The element.
    ///   - index: Where it will be: a position in range, or the end.
    /// - Complexity: O(*n*)
    public func insert(_ newElement: Element, at index: Int) {
        checkPosition(index)
        edit(.insertion, at: index..<index + 1) { $0.insert(newElement, at: index) }
    }

    /// Puts elements before that at a position.
    ///
    /// Announces an insertion at as many indexes, from the given one on.
    ///
    /// - Parameters:
    ///   - newElements: The elements; the collection is gone through before the change, and may be this array itself.
    ///   - index: Where the first of them will be: a position in range, or the end.
    /// - Complexity: O(*n* + *k*) for *k* elements.
    public func insert<Elements: Collection>(contentsOf newElements: Elements, at index: Int) where Elements.Element == Element {
        let newElements = Array(newElements)
        checkPosition(index)
        edit(.insertion, at: index..<index + newElements.count) { $0.insert(contentsOf: newElements, at: index) }
    }

    /// Puts elements at several positions at once.
    ///
    /// Announces an insertion at the indexes.
    ///
    /// ```swift
    /// letters.insert(["a", "c"], at: RangeSet([0..<1, 2..<3]))  // ["b", "d"] becomes ["a", "b", "c", "d"]
    /// ```
    ///
    /// - Parameters:
    ///   - newElements: As many elements as there are indexes, in order.
    ///   - indexes: Where they will be when all are there.
    /// - Complexity: O(*n* + *k*) for *k* elements.
    public func insert<Elements: Collection>(_ newElements: Elements, at indexes: RangeSet<Int>) where Elements.Element == Element {
        let newElements = Array(newElements)
        let (end, number) = (count + newElements.count, indexes.count)
        precondition(
            newElements.count == number, "MutableArrayValue.insert(_:at:): there are \(newElements.count) elements for \(number) indexes.")
        precondition(
            Self.areWithin(0..<end, indexes), "MutableArrayValue.insert(_:at:): \(indexes) is out of range; there will be \(end) elements.")
        edit(.insertion, at: indexes, changesNothing: indexes.isEmpty) { array in
            if indexes.ranges.count == 1 {
                array.insert(contentsOf: newElements, at: indexes.ranges[0].lowerBound)
                return
            }
            var (result, oldStart, newStart): ([Element], Int, Int) = ([], 0, 0)
            result.reserveCapacity(end)
            for range in indexes.ranges {
                let oldEnd = oldStart + range.lowerBound - result.count
                result += array[oldStart..<oldEnd]
                result += newElements[newStart..<newStart + range.count]
                (oldStart, newStart) = (oldEnd, newStart + range.count)
            }
            result += array[oldStart...]
            array = result
        }
    }

    /// Whether all indexes are in a range.
    static func areWithin(_ bounds: Range<Int>, _ indexes: RangeSet<Int>) -> Bool {
        guard let first = indexes.ranges.first, let last = indexes.ranges.last else { return true }
        return first.lowerBound >= bounds.lowerBound && last.upperBound <= bounds.upperBound
    }
}
