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

extension MutableSetValue {
    /// Adds a member, unless an equal one is there.
    ///
    /// Announces an insertion of the member, or of nothing.
    ///
    /// - Parameter newMember: The member.
    /// - Returns: whether it was added; and it, or the equal one that was there and stays.
    /// - Complexity: O(1) amortised.
    @discardableResult
    public func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        edit {
            SetEdit(.insertion, come: $0.contains(newMember) ? [] : [newMember])
        } _: { set, _ in
            set.insert(newMember)
        }
    }

    /// Adds a member, in the place of an equal one if there is one.
    ///
    /// Announces a replacement of the equal one if there is one; otherwise an insertion.
    ///
    /// - Parameter newMember: The member.
    /// - Returns: the equal one that was replaced, or nil.
    /// - Complexity: O(1) amortised.
    @discardableResult
    public func update(with newMember: Element) -> Element? {
        edit { set in
            guard let index = set.firstIndex(of: newMember) else { return SetEdit(.insertion, come: [newMember]) }
            return SetEdit(.replacement, gone: [set[index]], come: [newMember])
        } _: { set, _ in
            set.update(with: newMember)
        }
    }

    /// Removes a member.
    ///
    /// Announces a removal of the member, or of nothing.
    ///
    /// - Parameter member: The member, or one equal to it.
    /// - Returns: the member that was removed, or nil if there was none.
    /// - Complexity: O(1)
    @discardableResult
    public func remove(_ member: Element) -> Element? {
        edit { set in
            SetEdit(.removal, gone: set.firstIndex(of: member).map { [set[$0]] } ?? [])
        } _: { set, _ in
            set.remove(member)
        }
    }

    /// Removes all members.
    ///
    /// Announces a removal of all.
    ///
    /// - Parameter keepingCapacity: Whether the set should have room for as many members as it has now.
    /// - Complexity: O(1) beside the release of the members.
    public func removeAll(keepingCapacity: Bool = false) {
        edit {
            SetEdit(.removal, gone: $0)
        } _: { set, edit in
            var rest: Set<Element> = []
            if keepingCapacity { rest.reserveCapacity(edit.gone.capacity) }
            swap(&set, &rest)
        }
    }
}

extension MutableSetValue {
    /// Adds the members of a sequence that are not there.
    ///
    /// Announces an insertion of those.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*k*) for *k* elements of the sequence, amortised.
    public func formUnion<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        edit(.insertion) { (gone: [], come: other.subtracting($0)) }
    }

    /// Removes the members of a sequence that are there.
    ///
    /// Announces a removal of those.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*k*) for *k* elements of the sequence.
    public func subtract<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        edit(.removal) { (gone: $0.intersection(other), come: []) }
    }

    /// Removes the members that a sequence does not have.
    ///
    /// Announces a removal of those.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*n* + *k*) for *k* elements of the sequence.
    public func formIntersection<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        edit(.removal) { (gone: $0.subtracting(other), come: []) }
    }

    /// Removes the members of a sequence that are there, and adds those that are not.
    ///
    /// Announces a replacement of the former by the latter.
    ///
    /// - Parameter other: The sequence. Equal elements of it count once.
    /// - Complexity: O(*k*) for *k* elements of the sequence, amortised.
    public func formSymmetricDifference<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        edit(.replacement) { (gone: $0.intersection(other), come: other.subtracting($0)) }
    }

    /// Gives the set the members of a sequence, and no others.
    ///
    /// Announces a replacement of what goes by what comes. Members that have an equal one in the sequence stay, and are not part of it.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*n* + *k*) for *k* elements of the sequence.
    public func set<Members: Sequence>(to other: Members) where Members.Element == Element {
        let other = Set(other)
        edit(.replacement) { (gone: $0.subtracting(other), come: other.subtracting($0)) }
    }

    private func edit(_ kind: KeyValueChangeKind, _ plan: (Set<Element>) -> (gone: Set<Element>, come: Set<Element>)) {
        edit { set in
            let (gone, come) = plan(set)
            return SetEdit(kind, gone: gone, come: come)
        } _: { set, edit in
            set.subtract(edit.gone)
            set.formUnion(edit.come)
        }
    }
}
