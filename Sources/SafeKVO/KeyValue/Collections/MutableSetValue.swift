/// A set of an observed object, changed member by member.
///
/// ```swift
/// let tags = album.mutableSetValue(for: \.tags)
/// tags.insert("family")                     // observers hear of an insertion of ["family"]
/// tags.formIntersection(["family", "sea"])  // … of a removal of what is neither
/// ```
///
/// It is a reference: it retains the object, reads the set that the object has at the moment, and changes it there. Copies of it mean the
/// same set. ``set`` is the set as a value; what `Set` can answer, ask that.
///
/// Each operation announces one change, also one that changes nothing, which then tells an empty set. Observers are told what really came and
/// went: members equal to others that are there already stay away, and those stay. Sequences that are handed in are gone through before
/// anything is announced. Several threads may edit the set of an ``AtomicObserved`` property, as they may an array: see ``MutableArrayValue``. Members are hashed and compared during the change; their `hash(into:)` and `==` must not use the property.
///
/// It is no `SetAlgebra`: algorithms over that take copies to be independent.
public struct MutableSetValue<Subject: KeyValueObservable, Element: Hashable> {
    private let editor: CollectionEditor<Subject, Set<Element>>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>) {
        editor = CollectionEditor(subject: subject, keyPath: keyPath)
    }

    /// The set as it is at the moment.
    ///
    /// - Complexity: O(1). The first change of the object's set while the result is kept copies the members.
    public var set: Set<Element> {
        editor.read { $0 }
    }

    /// Reads the set without copying it.
    func read<R>(_ body: (Set<Element>) -> R) -> R {
        editor.read(body)
    }

    /// Changes the set, and announces that.
    ///
    /// - Parameters:
    ///   - plan: Works out what is to be done to a set.
    ///   - apply: Does it. The set is open for as long, so it hands out what it removes, or leaves it in the edit, lest the `deinit` of a member
    ///     should read the set.
    /// - Returns: what `apply` returned.
    func edit<Result>(_ plan: (Set<Element>) -> SetEdit<Element>, _ apply: (inout Set<Element>, SetEdit<Element>) -> Result) -> Result {
        editor.edit { set in
            let edit = plan(set)
            return (edit, edit)
        } _: { set, edit in
            apply(&set, edit)
        }
    }
}

// It holds the object and the key path, neither of which need be fit for it.
@available(*, unavailable)
extension MutableSetValue: Sendable {}
