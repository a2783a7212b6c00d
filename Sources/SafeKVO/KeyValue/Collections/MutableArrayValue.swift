/// An array of an observed object, changed element by element.
///
/// ```swift
/// let photos = album.mutableArrayValue(for: \.photos)
/// photos.append(photo)          // observers hear of an insertion at the last index
/// photos.swapAt(0, 1)           // … of a replacement at 0 and 1
/// photos.remove(at: 3)          // … of a removal at 3
/// ```
///
/// It is a reference: it retains the object, reads the array that the object has at the moment, and changes it there. Copies of it mean
/// the same array, whether they are held in constants or variables. ``array`` is the array as a value.
///
/// Each operation announces one change, also one that changes nothing, whose ``KeyValueChange/indexes`` are empty. An index out of range
/// traps as an array's does, before anything is announced. Closures, comparisons, random number generators and sequences that are handed in
/// run before that too, so they may read the array. What handlers of calls before the change (``KeyValueObservingOptions/prior``)
/// do to the array comes before the change under way, which then still means the positions that were announced; if they make it longer or
/// shorter, the operation is worked out anew, its closures called again, and a setting told.
///
/// Several threads may edit the array of an ``AtomicObserved`` property. Each operation is one step: it is worked out on the array that is
/// there, and again, its closures included, if another thread writes before it is done. Observers are told exactly what was done. Who asked
/// for a call before the change gets one, about the first attempt: only the call after it says what came of it. An index that was right when
/// the operation was called may be out of range by then, and traps.
///
/// Each access reads the property; for many of them, take ``array`` once. Iterating does: it goes over the array as it was at the beginning.
///
/// ## Generic algorithms
///
/// As `RangeReplaceableCollection` demands, there are values that belong to no object: what `init()` and the other initializers of that
/// protocol make, and the results of `+` and `filter`. They have an array of their own (copies mean the same one) and announce nothing.
///
/// A generic algorithm announces what it calls: `sort` and `removeAll(where:)` are one change there as well, `reverse` and `shuffle` are a
/// change for each swap. One that takes a copy and changes the copy changes the object's array: the generic `+` (of a type parameter, that
/// is) and `removeSubranges(_:)` of a collection that is only range-replaceable expect that copies are independent. Hand such algorithms
/// ``array``.
public struct MutableArrayValue<Subject: KeyValueObservable, Element> {
    private enum Storage {
        case attached(CollectionEditor<Subject, [Element]>)
        case detached(DetachedArray<Element>)
    }

    private let storage: Storage

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, [Element]>) {
        storage = .attached(CollectionEditor(subject: subject, keyPath: keyPath))
    }

    init(detached elements: [Element]) {
        storage = .detached(DetachedArray(elements))
    }

    /// The array as it is at the moment.
    ///
    /// - Complexity: O(1). The first change of the object's array while the result is kept copies the elements.
    public var array: [Element] {
        read { $0 }
    }

    /// Reads the array without copying it.
    func read<R>(_ body: ([Element]) -> R) -> R {
        switch storage {
        case .attached(let editor): editor.read(body)
        case .detached(let own): body(own.elements)
        }
    }

    /// Changes the array, and announces that.
    ///
    /// - Parameters:
    ///   - plan: Works out what is to be done to an array, and what it takes; see ``CollectionProperty``.
    ///   - apply: Does it, and runs nobody else's code.
    /// - Returns: what `apply` returned.
    func edit<State, Result>(
        planning plan: ([Element]) -> (edit: ArrayEdit<Element>, state: State), _ apply: (inout [Element], inout State) -> Result
    ) -> Result {
        switch storage {
        case .attached(let editor): editor.edit(plan, apply)
        case .detached(let own): own.edit(plan, apply)
        }
    }

    /// Changes the array by an edit that takes nothing.
    func edit<Result>(_ plan: ([Element]) -> ArrayEdit<Element>, _ apply: (inout [Element]) -> Result) -> Result {
        edit {
            (plan($0), ())
        } _: { array, _ in
            apply(&array)
        }
    }

    /// Lets a closure, which may run a user's code, change a copy, which then takes the place of the array, also if the closure throws.
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
            // The old elements leave by the same door.
            swap(&array, &state.0)
            return state.1
        }.get()
    }
}

// It holds the object and the key path, neither of which need be fit for it.
@available(*, unavailable)
extension MutableArrayValue: Sendable {}

extension MutableArrayValue {
    /// The elements of an array and those of a sequence, as an array that belongs to no object.
    ///
    /// Without this, the library's own `+` would take a copy of the left side and append to it, and so change the object's array.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: all of them, detached.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: Sequence>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }

    /// The elements of an array and those of a collection, as an array that belongs to no object.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: all of them, detached.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: RangeReplaceableCollection>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }
}

extension MutableArrayValue: Equatable where Element: Equatable {
    /// Whether two arrays have equal elements, whichever objects they belong to.
    public static func == (left: Self, right: Self) -> Bool {
        left.array == right.array
    }
}

extension MutableArrayValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The elements, as an array writes them.
    public var description: String { array.description }

    /// The elements, as an array writes them.
    public var debugDescription: String { array.debugDescription }
}
