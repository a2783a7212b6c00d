/// A proxy for an array of an observed object.
///
/// The proxy changes the array element by element, and notifies observers of the elements that each change concerns.
///
/// ```swift
/// let photos = album.mutableArrayValue(for: \.photos)
/// photos.append(photo)  // notifies of an insertion at the last index
/// photos.swapAt(0, 1)   // notifies of a replacement at 0 and 1
/// photos.remove(at: 3)  // notifies of a removal at 3
/// ```
///
/// The proxy has reference semantics: it retains the object, and each operation reads or changes the object's present array. All copies of
/// a proxy stand for the same array, whether they are constants or variables. ``array`` returns the array as a value.
///
/// Each access reads the property. For many accesses, read ``array`` once. A loop over the proxy reads the array once, at the beginning.
///
/// ## Notifications
///
/// Each operation notifies observers of one change. An operation that changes nothing also notifies them; ``KeyValueChange/indexes`` is
/// empty. An index that is out of range when the operation begins traps, before any observer is called.
///
/// Closures, comparisons, random number generators and sequences that are passed to an operation run before any observer is called. So they
/// may read the array.
///
/// A handler that is called before the change (``KeyValueObservingOptions/prior``) may itself change the array. The operation then still
/// concerns the same positions. If the handler has changed the number of elements, the operation is computed again, its closures are called
/// again, and observers get a change of kind ``KeyValueChangeKind/setting``, with the whole array. If the handler has removed so many
/// elements that an index is out of range now, the operation traps, although observers were called.
///
/// ## Threads
///
/// Several threads may edit the array of an ``AtomicObserved`` property, unless a subclass overrides it. Each operation is one atomic step.
/// If another thread writes first, the operation is computed again for the new array, and its closures are called again. Observers are
/// notified of exactly what was done.
///
/// An observer with the option ``KeyValueObservingOptions/prior`` is called only before the first attempt. Only the call after the change
/// describes the result. An index traps if a write by another thread has put it out of range since the operation began.
///
/// ## Generic algorithms
///
/// Values that `init()`, the other initializers of `RangeReplaceableCollection`, `+` or `filter` return belong to no object. Such a value
/// has an array of its own, which its copies share. Changes of that array notify nobody.
///
/// A generic algorithm notifies observers of each operation that it calls. Even there, `sort` and `removeAll(where:)` are one change each,
/// but `reverse` and `shuffle` are one change for each swap.
///
/// Some generic algorithms copy a collection and change the copy. With this type, they change the object's array, because copies share it.
/// Examples are `+` in a function with a type parameter, and `removeSubranges(_:)` of a collection that is only range-replaceable. Pass
/// ``array`` to such algorithms.
public struct MutableArrayValue<Subject: KeyValueObservable, Element> {
    @usableFromInline
    enum Storage {
        case attached(CollectionEditor<Subject, [Element]>)
        case detached(DetachedArray<Element>)
    }

    @usableFromInline let storage: Storage

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, [Element]>) {
        storage = .attached(CollectionEditor(subject: subject, keyPath: keyPath))
    }

    init(detached elements: [Element]) {
        storage = .detached(DetachedArray(elements))
    }

    /// The present array, as a value.
    ///
    /// - Complexity: O(1). If the object's array changes while the result is retained, the first change copies the elements.
    public var array: [Element] {
        read { $0 }
    }

    @inlinable
    func read<R>(_ body: ([Element]) -> R) -> R {
        switch storage {
        case .attached(let editor): editor.read(body)
        case .detached(let own): body(own.elements)
        }
    }

    /// Changes the array and notifies its observers.
    ///
    /// `plan` describes the operation, and `apply` carries it out. Only `plan` may run user code. If the array
    /// has changed meanwhile, `plan` is called again.
    @inlinable
    func edit<State, Result>(
        planning plan: ([Element]) -> (edit: ArrayEdit<Element>, state: State), _ apply: (inout [Element], inout State) -> Result
    ) -> Result {
        switch storage {
        case .attached(let editor): editor.edit(plan, apply)
        case .detached(let own): own.edit(plan, apply)
        }
    }

    @inlinable
    func edit<Result>(_ plan: ([Element]) -> ArrayEdit<Element>, _ apply: (inout [Element]) -> Result) -> Result {
        edit {
            (plan($0), ())
        } _: { array, _ in
            apply(&array)
        }
    }

    func changeCopy<Result, Failure: Error>(_ body: (inout [Element]) throws(Failure) -> Result) throws(Failure) -> Result {
        try edit { array in
            var copy = array
            let result: Swift.Result<Result, Failure>
            do throws(Failure) {
                result = .success(try body(&copy))
            } catch {
                result = .failure(error)
            }
            let isReplacement = copy.count == array.count
            return (isReplacement ? ArrayEdit(.replacement, at: copy.indices, of: array) : .setting(of: array), (copy, result))
        } _: { array, state in
            // The `deinit` of an old element may use the array. So `state` keeps the old elements until the access has ended.
            swap(&array, &state.0)
            return state.1
        }.get()
    }
}

// A proxy is not `Sendable`, because its object and its key path may not be `Sendable`.
@available(*, unavailable)
extension MutableArrayValue: Sendable {}

extension MutableArrayValue {
    /// Returns the elements of an array followed by those of a sequence, as an array that belongs to no observed object.
    ///
    /// The `+` of the standard library would append to the object's array, because a copy of a proxy shares that array.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: an array with all elements, which notifies nobody.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: Sequence>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }

    /// Returns the elements of an array followed by those of a collection, as an array that belongs to no observed object.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: an array with all elements, which notifies nobody.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: RangeReplaceableCollection>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }
}

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
