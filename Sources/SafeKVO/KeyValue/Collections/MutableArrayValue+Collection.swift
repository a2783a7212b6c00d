extension MutableArrayValue: RandomAccessCollection, MutableCollection {
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
    public var count: Int { read { $0.count } }

    /// `true` if there are no elements.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { read { $0.isEmpty } }

    /// The first element; nil if there are no elements.
    ///
    /// - Complexity: O(1)
    public var first: Element? { read { $0.first } }

    /// The last element; nil if there are no elements.
    ///
    /// - Complexity: O(1)
    public var last: Element? { read { $0.last } }

    /// The positions of the elements.
    ///
    /// - Complexity: O(1)
    public var indices: Range<Int> { 0..<count }

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
            read { array in
                Self.check(index, in: array)
                return array[index]
            }
        }
        @inlinable
        nonmutating set {
            edit { array in
                Self.check(index, in: array)
                return (ArrayEdit(.replacement, at: index..<index + 1, of: array), newValue)
            } _: { array, element in
                swap(&array[index], &element)
            }
        }
    }

    /// The elements in a range of positions.
    ///
    /// Getting them returns an independent value. Setting them calls ``replaceSubrange(_:with:)-(Range<Int>,_)``.
    ///
    /// - Parameter bounds: A range of positions. A range that is not within the array traps.
    /// - Complexity: O(1) to get. To set, O(*k*) for *k* elements if there are as many new ones as old ones, otherwise O(*n*).
    public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
        get {
            read { array in
                Self.check(bounds, in: array)
                return array[bounds]
            }
        }
        nonmutating set { replaceSubrange(bounds, with: newValue) }
    }

    /// The elements in a range of any kind, such as `2...`.
    ///
    /// The subscript works like the one that takes a `Range<Int>`. A range that is not within the array traps.
    ///
    /// - Parameter bounds: A range of positions.
    public subscript<Bounds: RangeExpression<Int>>(bounds: Bounds) -> ArraySlice<Element> {
        get { self[positions(bounds)] }
        nonmutating set { replaceSubrange(bounds, with: newValue) }
    }

    /// Calls a closure with a pointer to the elements, and notifies nobody.
    ///
    /// The pointer shows the array as it is at the beginning of the call. If the closure changes this array with another operation, the
    /// pointer does not show that change.
    ///
    /// - Parameter body: A closure that takes a pointer to the elements. The pointer is valid during the call only.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
    /// - Complexity: O(1) besides the closure.
    public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R? {
        // SAFETY: the caller's closure must use the pointer correctly, as it must with a plain array.
        try unsafe array.withContiguousStorageIfAvailable(body)
    }

    /// Calls a closure with a mutable pointer to the elements, and notifies observers of a replacement at all indexes.
    ///
    /// The closure changes a copy, which then replaces the array, even if the closure throws. Other changes of the array during the call
    /// are lost.
    ///
    /// - Parameter body: A closure that takes a mutable pointer to the elements. The pointer is valid during the call only.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
    /// - Complexity: O(*n*)
    public func withContiguousMutableStorageIfAvailable<R>(
        _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R? {
        // SAFETY: the caller's closure must use the pointer correctly, as it must with a plain array.
        try changeCopy { try unsafe $0.withContiguousMutableStorageIfAvailable(body) }
    }

    @usableFromInline
    static func check(_ index: Int, in array: [Element]) {
        Mistake.check(
            index >= 0 && index < array.count,
            "\(Self.self): index \(index) is out of range, because the array has \(array.count) elements. Compare it with `count` first.")
    }

    @usableFromInline
    static func check(position index: Int, in array: [Element]) {
        Mistake.check(
            index >= 0 && index <= array.count,
            "\(Self.self): position \(index) is out of range, because the array has \(array.count) elements. Compare it with `count` first."
        )
    }

    static func check(_ bounds: Range<Int>, in array: [Element]) {
        Mistake.check(
            bounds.lowerBound >= 0 && bounds.upperBound <= array.count,
            "\(Self.self): range \(bounds) is out of range, because the array has \(array.count) elements. Compare it with `count` first.")
    }

    static func check(_ indexes: RangeSet<Int>, in array: [Element]) {
        Mistake.check(
            indexes.isInside(array.count),
            "\(Self.self): indexes \(indexes) are out of range, because the array has \(array.count) elements. Compare them with `count` first."
        )
    }

    /// Converts a range such as `2...` to positions; traps if the range is not within the array.
    func positions<Bounds: RangeExpression<Int>>(_ bounds: Bounds) -> Range<Int> {
        let count = count
        // Check the range before `relative(to:)` does, because its trap would have a message that does not name `MutableArrayValue`.
        let isRight =
            switch bounds {
            case let bounds as PartialRangeFrom<Int>: bounds.lowerBound <= count
            case let bounds as PartialRangeUpTo<Int>: bounds.upperBound >= 0
            case let bounds as PartialRangeThrough<Int>: bounds.upperBound >= 0 && bounds.upperBound < count
            case let bounds as ClosedRange<Int>: bounds.upperBound < count
            default: true
            }
        Mistake.check(
            isRight,
            "\(Self.self): range \(bounds) is out of range, because the array has \(count) elements. Compare it with `count` first.")
        return bounds.relative(to: 0..<count)
    }
}

/// The array of a `MutableArrayValue` that belongs to no observed object.
///
/// The class lets all copies of the `MutableArrayValue` share the array.
@usableFromInline
final class DetachedArray<Element>: CollectionProperty<[Element]> {
    @usableFromInline private(set) var elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
    }

    @usableFromInline
    override func edit<Edit: CollectionEdit<[Element]>, State, Result>(
        _ plan: ([Element]) -> (edit: Edit, state: State), _ apply: (inout [Element], inout State) -> Result
    ) -> Result {
        var (edit, state) = plan(elements)
        if edit.isRight(for: elements, afterHandlers: false) { return apply(&elements, &state) }
        // User code in `plan` changed the array, so the edit does not fit. Plan again with a copy, which that code cannot change.
        var copy = elements
        let done = editCopy(&copy, plan, apply)
        swap(&elements, &copy)
        return withExtendedLifetime(done) { done.result }
    }
}
