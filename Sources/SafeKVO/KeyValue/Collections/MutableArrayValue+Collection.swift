extension MutableArrayValue: RandomAccessCollection, MutableCollection {
    /// A position among the elements.
    public typealias Index = Int
    /// The positions of the elements.
    public typealias Indices = Range<Int>
    /// Some of the elements, as they were when asked for: a value of its own, as a slice of a plain array is.
    public typealias SubSequence = ArraySlice<Element>
    /// Goes over the elements as they were at the beginning.
    public typealias Iterator = IndexingIterator<[Element]>

    /// Zero.
    public var startIndex: Int { 0 }

    /// The number of elements.
    public var endIndex: Int { count }

    /// The number of elements.
    ///
    /// - Complexity: O(1)
    public var count: Int { read { $0.count } }

    /// Whether there are no elements.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { read { $0.isEmpty } }

    /// The first element, if there is one.
    ///
    /// - Complexity: O(1)
    public var first: Element? { read { $0.first } }

    /// The last element, if there is one.
    ///
    /// - Complexity: O(1)
    public var last: Element? { read { $0.last } }

    /// The positions of the elements.
    ///
    /// - Complexity: O(1)
    public var indices: Range<Int> { 0..<count }

    /// The number after another one.
    ///
    /// - Parameter i: A position.
    /// - Returns: the one after it.
    public func index(after i: Int) -> Int { i &+ 1 }

    /// The number before another one.
    ///
    /// - Parameter i: A position.
    /// - Returns: the one before it.
    public func index(before i: Int) -> Int { i &- 1 }

    /// The number at a distance from another one.
    ///
    /// - Parameters:
    ///   - i: A position.
    ///   - distance: How far to go.
    /// - Returns: the position there.
    public func index(_ i: Int, offsetBy distance: Int) -> Int { i &+ distance }

    /// How far it is from one position to another.
    ///
    /// - Parameters:
    ///   - start: A position.
    ///   - end: Another one.
    /// - Returns: the distance, negative if `end` is before `start`.
    public func distance(from start: Int, to end: Int) -> Int { end &- start }

    /// Goes over the elements as they are at the moment; what changes meanwhile is not seen.
    ///
    /// - Returns: an iterator over ``array``.
    /// - Complexity: O(1)
    public func makeIterator() -> IndexingIterator<[Element]> { array.makeIterator() }

    /// The element at a position.
    ///
    /// Setting it announces a replacement at the index. An element that is changed in place is copied out, changed and put back; so nothing
    /// is open while it is changed, and observers hear of one replacement, also if the code that changes it throws.
    ///
    /// - Parameter index: A position in range.
    /// - Complexity: O(1)
    public subscript(index: Int) -> Element {
        get {
            read { array in
                Self.check(index, in: array)
                return array[index]
            }
        }
        nonmutating set {
            edit { array in
                Self.check(index, in: array)
                return (ArrayEdit(.replacement, at: index..<index + 1, of: array), newValue)
            } _: { array, element in
                swap(&array[index], &element)
            }
        }
    }

    /// The elements at some positions.
    ///
    /// Getting them gives a value. Setting them is ``replaceSubrange(_:with:)-(Range<Int>,_)``.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(1) to get. To set, O(*k*) for *k* elements if there are as many new ones as old, otherwise O(*n*).
    public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
        get {
            read { array in
                Self.check(bounds, in: array)
                return array[bounds]
            }
        }
        nonmutating set { replaceSubrange(bounds, with: newValue) }
    }

    /// The elements at some positions.
    ///
    /// Getting them gives a value. Setting them is ``replaceSubrange(_:with:)-(Range<Int>,_)``.
    ///
    /// - Parameter bounds: Positions in range.
    /// - Complexity: O(1) to get. To set, O(*k*) for *k* elements if there are as many new ones as old, otherwise O(*n*).
    public subscript<Bounds: RangeExpression<Int>>(bounds: Bounds) -> ArraySlice<Element> {
        get { self[positions(bounds)] }
        nonmutating set { replaceSubrange(bounds, with: newValue) }
    }

    /// Lets a closure read the elements where they are stored.
    ///
    /// The closure sees the array as it is at the beginning, and may do to it what it likes. Nothing is announced.
    ///
    /// - Parameter body: Called with the elements, which are there for the length of the call.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    /// - Complexity: O(1) beside the closure.
    public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R? {
        // SAFETY: the closure is the caller's, and answers for its pointer as it would for a plain array's.
        try unsafe array.withContiguousStorageIfAvailable(body)
    }

    /// Lets a closure change the elements where they are stored.
    ///
    /// The closure works on a copy, which then takes the place of the array, also if the closure throws; what else is written to the array
    /// meanwhile is lost. Announces a replacement at all indexes.
    ///
    /// - Parameter body: Called with the elements, which are there for the length of the call.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    /// - Complexity: O(*n*)
    public func withContiguousMutableStorageIfAvailable<R>(
        _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R? {
        // SAFETY: as above.
        try changeCopy { try unsafe $0.withContiguousMutableStorageIfAvailable(body) }
    }

    /// Traps unless there is an element at the index.
    static func check(_ index: Int, in array: [Element]) {
        Mistake.check(
            array.indices.contains(index),
            "\(Self.self): index \(index) is out of range, because the array has \(array.count) elements. Compare it with `count` first.")
    }

    /// Traps unless there is an element at the index, or the end.
    static func check(position index: Int, in array: [Element]) {
        Mistake.check(
            index >= 0 && index <= array.count,
            "\(Self.self): position \(index) is out of range, because the array has \(array.count) elements. Compare it with `count` first."
        )
    }

    /// Traps unless the range is one of positions, of elements or at the end.
    static func check(_ bounds: Range<Int>, in array: [Element]) {
        Mistake.check(
            bounds.lowerBound >= 0 && bounds.upperBound <= array.count,
            "\(Self.self): range \(bounds) is out of range, because the array has \(array.count) elements. Compare it with `count` first.")
    }

    /// Traps unless there is an element at each index.
    static func check(_ indexes: RangeSet<Int>, in array: [Element]) {
        Mistake.check(
            indexes.isInside(array.count),
            "\(Self.self): indexes \(indexes) are out of range, because the array has \(array.count) elements. Compare them with `count` first."
        )
    }

    /// The positions that a range of whatever sort means; traps if it is not one of those that there are.
    func positions<Bounds: RangeExpression<Int>>(_ bounds: Bounds) -> Range<Int> {
        let count = count
        // What is not checked here, the range would trap over without a word of whose it is.
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

/// The array of a proxy that belongs to no subject.
///
/// An object, so that copies of the proxy mean the same array here too.
final class DetachedArray<Element>: CollectionProperty<[Element]> {
    private(set) var elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
    }

    override func edit<Edit: CollectionEdit<[Element]>, State, Result>(
        _ plan: ([Element]) -> (edit: Edit, state: State), _ apply: (inout [Element], inout State) -> Result
    ) -> Result {
        var (edit, state) = plan(elements)
        if edit.isRight(for: elements, afterHandlers: false) { return apply(&elements, &state) }
        // A closure has changed the array.
        var copy = elements
        let done = editCopy(&copy, plan, apply)
        swap(&elements, &copy)
        return withExtendedLifetime(done) { done.result }
    }
}
