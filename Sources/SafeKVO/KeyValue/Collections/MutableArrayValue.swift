/// A proxy for an array of an observed object.
///
/// The proxy changes the array element by element, and notifies observers of the elements that each change concerns.
///
/// ```swift
/// let photos = album.mutableArrayValue(for: \.photos)
/// photos.append(photo)  // notifies of an insertion at the last index
/// photos.swapAt(0, 1)   // notifies of a replacement at 0 and 1
/// photos.remove(at: 3)  // notifies of a removal at 3
/// photos.change { $0.sort() }  // notifies of a setting of the whole array
/// ```
///
/// The proxy has reference semantics: it retains the object, and each operation reads or changes the object's present array. All copies of
/// a proxy stand for the same array, whether they are constants or variables. ``array`` returns the array as a value.
///
/// Each access reads the property. For many accesses, read ``array`` once. While other threads edit the array, that also keeps indexes
/// valid. A loop over the proxy reads the array once, at the beginning.
///
/// ## Notifications
///
/// Each operation notifies observers of one change. An operation that changes nothing also notifies them; ``KeyValueChange/indexes`` is
/// empty. An index that is out of range when the operation begins traps, before any observer is called.
///
/// Closures and sequences that are passed to an operation run before any observer is called. So they may read the array. They must not write
/// it: the operation overwrites that, reports it, and observers get a change of kind ``KeyValueChangeKind/setting``.
///
/// A handler that is called before the change (``KeyValueObservingOptions/prior``) may itself write the array. The operation is then computed
/// again, and its closures are called again. The call after the change describes what was done. If the handler has removed so many elements
/// that an index is out of range now, the operation traps, although observers were called.
///
/// ## Threads
///
/// Several threads may edit the array of an ``AtomicObserved`` property, unless the object's class inherits it. Each operation is one atomic step.
/// If another thread writes first, the operation is computed again for the new array, and its closures are called again. Observers are
/// notified of exactly what was done.
///
/// An observer with the option ``KeyValueObservingOptions/prior`` is called only before the first attempt. Only the call after the change
/// describes the result. An index traps if a write by another thread has put it out of range since the operation began.
///
/// ## Generic algorithms
///
/// Generic code can read the array through the proxy, and cannot change it: the proxy conforms neither to `MutableCollection` nor to
/// `RangeReplaceableCollection`. Algorithms over these protocols may change a copy of a collection, and copies of a proxy share one array.
/// Apply such an algorithm to a plain array, in ``change(_:)``.
public struct MutableArrayValue<Subject: KeyValueObservable, Element> {
    @usableFromInline let editor: CollectionEditor<Subject, [Element]>

    @_alwaysEmitIntoClient
    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, [Element]>) {
        editor = CollectionEditor(subject: subject, keyPath: keyPath)
    }

    /// The present array, as a value.
    ///
    /// - Complexity: O(1). If the object's array changes while the result is retained, the first change copies the elements.
    @_alwaysEmitIntoClient
    public var array: [Element] {
        editor.value
    }
}

// A proxy is not `Sendable`, because its object and its key path may not be `Sendable`.
@available(*, unavailable)
extension MutableArrayValue: Sendable {}

extension MutableArrayValue: CustomStringConvertible {
    /// The text of a plain array with these elements.
    public var description: String { array.description }
}

extension MutableArrayValue: RandomAccessCollection {
    /// The positions of the elements.
    public typealias Indices = Range<Int>

    /// The position of the first element, which is always zero.
    public var startIndex: Int { 0 }

    /// The position after the last element, which is the number of elements.
    public var endIndex: Int { array.count }

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
    @_alwaysEmitIntoClient
    public subscript(index: Int) -> Element {
        get {
            let array = array
            Positions.check(index, array.count, Self.self)
            return array[index]
        }
        nonmutating set {
            editor.edit { array in
                Positions.check(index, array.count, Self.self)
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
        Positions.check(bounds, array.count, Self.self)
        return array[bounds]
    }
}
