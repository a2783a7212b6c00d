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

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, [Element]>) {
        editor = CollectionEditor(subject: subject, keyPath: keyPath)
    }

    /// The present array, as a value.
    ///
    /// - Complexity: O(1). If the object's array changes while the result is retained, the first change copies the elements.
    public var array: [Element] {
        editor.value
    }
}

// A proxy is not `Sendable`, because its object and its key path may not be `Sendable`.
@available(*, unavailable)
extension MutableArrayValue: Sendable {}

extension MutableArrayValue: Equatable where Element: Equatable {
    /// Returns `true` if two arrays have equal elements, even if they belong to different objects.
    public static func == (left: Self, right: Self) -> Bool {
        left.array == right.array
    }
}

extension MutableArrayValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text of a plain array with these elements.
    public var description: String { array.description }

    /// The text of a plain array with these elements.
    public var debugDescription: String { array.debugDescription }
}
