extension MutableArrayValue: RandomAccessCollection {
    /// The position of an element.
    public typealias Index = Int
    /// The positions of the elements.
    public typealias Indices = Range<Int>
    /// A slice of the elements, which is an independent value.
    ///
    /// Later changes of the array do not affect it.
    public typealias SubSequence = ArraySlice<Element>
    /// An iterator over the elements as they were when the iterator was made.
    public typealias Iterator = IndexingIterator<[Element]>

    /// The position of the first element, which is always zero.
    public var startIndex: Int { 0 }

    /// The position after the last element, which is the number of elements.
    public var endIndex: Int { count }

    /// The number of elements.
    ///
    /// - Complexity: O(1)
    public var count: Int { array.count }

    /// `true` if there are no elements.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { array.isEmpty }

    /// The first element; nil if there are no elements.
    ///
    /// - Complexity: O(1)
    public var first: Element? { array.first }

    /// The last element; nil if there are no elements.
    ///
    /// - Complexity: O(1)
    public var last: Element? { array.last }

    /// Returns the position after `i`.
    public func index(after i: Int) -> Int { i &+ 1 }

    /// Returns the position before `i`.
    public func index(before i: Int) -> Int { i &- 1 }

    /// Returns the position at a distance from `i`; a negative distance leads backward.
    public func index(_ i: Int, offsetBy distance: Int) -> Int { i &+ distance }

    /// Returns the distance between two positions, which is negative if `end` is before `start`.
    public func distance(from start: Int, to end: Int) -> Int { end &- start }

    /// Returns an iterator over the elements as they are at the time of the call.
    ///
    /// Later changes do not affect it.
    ///
    /// - Returns: an iterator over ``array``.
    /// - Complexity: O(1)
    public func makeIterator() -> IndexingIterator<[Element]> { array.makeIterator() }

    /// The element at a position.
    ///
    /// Setting it notifies observers of a replacement at the index.
    ///
    /// A mutation in place, such as `array[0].rename()`, changes a copy of the element and then sets the element. So the mutating code may
    /// use the array. Observers get one replacement, even if that code throws.
    ///
    /// - Parameter index: The position of an element. Any other index traps.
    /// - Complexity: O(1)
    public subscript(index: Int) -> Element {
        get {
            let array = array
            Self.check(index, in: array)
            return array[index]
        }
        @inlinable
        nonmutating set {
            editor.edit { array in
                Self.check(index, in: array)
                return CollectionEdit(.replacement, at: index..<index + 1, of: array, come: [newValue])
            }
        }
    }

    /// The elements in a range of positions, as an independent value.
    ///
    /// To replace them, call ``replaceSubrange(_:with:)``.
    ///
    /// - Parameter bounds: A range of positions. A range that is not within the array traps.
    /// - Complexity: O(1)
    public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
        let array = array
        Self.check(bounds, in: array)
        return array[bounds]
    }
}
