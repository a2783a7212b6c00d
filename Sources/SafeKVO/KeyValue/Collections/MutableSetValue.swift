/// A proxy for a set of an observed object.
///
/// The proxy changes the set member by member, and notifies observers of the members that were added and removed.
///
/// ```swift
/// let tags = album.mutableSetValue(for: \.tags)
/// // notifies of an insertion of ["family"]
/// tags.insert("family")
/// // notifies of a removal of all members except "family" and "sea"
/// tags.formIntersection(["family", "sea"])
/// ```
///
/// The proxy has reference semantics: it retains the object, and each operation reads or changes the object's present set. All copies of a
/// proxy stand for the same set. ``set`` returns the set as a value, with all operations of `Set`.
///
/// Each operation notifies observers of one change. An operation that changes nothing notifies of a change without members. If a new member
/// equals a present one, the present one stays, and neither is part of the change.
///
/// Sequences that are passed to an operation are read before any observer is called. Members are hashed and compared during the change. So
/// their `hash(into:)` and `==` must not use the property: a read gets an empty set, and a write is overwritten and reported. A handler that
/// is called before the change may write the property; the operation is then computed again.
///
/// Several threads may edit the set of an ``AtomicObserved`` property, unless the class of the object inherits the property. Each operation is one
/// atomic step. If another thread writes first, the operation is computed again for the new set.
///
/// The type does not conform to `SetAlgebra`, because generic algorithms over `SetAlgebra` require copies to be independent. ``change(_:)``
/// applies such an algorithm to a plain set.
public struct MutableSetValue<Subject: KeyValueObservable, Element: Hashable> {
    @usableFromInline let editor: CollectionEditor<Subject, Set<Element>>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>) {
        editor = CollectionEditor(subject: subject, keyPath: keyPath)
    }

    /// The present set, as a value.
    ///
    /// - Complexity: O(1). If the object's set changes while the result is retained, the first change copies the members.
    public var set: Set<Element> {
        editor.value
    }
}

// A proxy is not `Sendable`, because its object and its key path may not be `Sendable`.
@available(*, unavailable)
extension MutableSetValue: Sendable {}

extension MutableSetValue {
    /// Adds a member, unless the set contains an equal one.
    ///
    /// Notifies observers of an insertion of the member. If the set contains an equal member, the insertion has no members.
    ///
    /// - Parameter newMember: The member.
    /// - Returns: `true` and the new member if it was added; otherwise `false` and the equal member that the set contains.
    /// - Complexity: O(1) amortised.
    @_alwaysEmitIntoClient
    @discardableResult
    public func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        var member = newMember
        let edit = editor.edit { set in
            let known = set.firstIndex(of: newMember)
            member = known.map { set[$0] } ?? newMember
            return CollectionEdit(.insertion, come: known == nil ? [newMember] : [])
        }
        return (!edit.come.isEmpty, member)
    }

    /// Removes a member.
    ///
    /// Notifies observers of a removal of the member. If the set does not contain the member, the removal has no members.
    ///
    /// - Parameter member: The member, or a value equal to it.
    /// - Returns: the removed member; nil if there was none.
    /// - Complexity: O(1)
    @_alwaysEmitIntoClient
    @discardableResult
    public func remove(_ member: Element) -> Element? {
        editor.edit { set in
            CollectionEdit(.removal, gone: set.firstIndex(of: member).map { [set[$0]] } ?? [])
        }.gone.first
    }

    /// Removes all members.
    ///
    /// Notifies observers of a removal of all members.
    ///
    /// - Parameter keepingCapacity: `true` if the set should keep its capacity.
    /// - Complexity: O(1) besides the release of the members.
    public func removeAll(keepingCapacity: Bool = false) {
        editor.edit { set in
            var empty: Set<Element> = []
            if keepingCapacity { empty.reserveCapacity(set.capacity) }
            return CollectionEdit(.removal, gone: set, come: empty)
        }
    }
}

extension MutableSetValue {
    /// Adds the elements of a sequence that are not members yet.
    ///
    /// Notifies observers of an insertion of the added members.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*k*) for *k* elements of the sequence, amortised.
    public func formUnion<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        editor.edit { CollectionEdit(.insertion, come: other.subtracting($0)) }
    }

    /// Removes the members that a sequence contains.
    ///
    /// Notifies observers of a removal of these members.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*k*) for *k* elements of the sequence.
    public func subtract<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        editor.edit { CollectionEdit(.removal, gone: $0.intersection(other)) }
    }

    /// Removes the members that a sequence does not contain.
    ///
    /// Notifies observers of a removal of these members.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*n* + *k*) for *k* elements of the sequence.
    public func formIntersection<Members: Sequence>(_ other: Members) where Members.Element == Element {
        let other = Set(other)
        editor.edit { CollectionEdit(.removal, gone: $0.subtracting(other)) }
    }

    /// Replaces all members with the elements of a sequence.
    ///
    /// Notifies observers of a replacement of the removed members by the added ones. A member that equals an element of the sequence stays,
    /// and is not part of the change.
    ///
    /// - Parameter other: The sequence.
    /// - Complexity: O(*n* + *k*) for *k* elements of the sequence.
    public func set<Members: Sequence>(to other: Members) where Members.Element == Element {
        let other = Set(other)
        editor.edit { CollectionEdit(.replacement, gone: $0.subtracting(other), come: other.subtracting($0)) }
    }

    /// Changes a copy of the set with a closure, assigns the copy, and notifies observers of one change.
    ///
    /// The function does what the other operations cannot do. Observers get a change of kind ``KeyValueChangeKind/setting``, with the whole
    /// set.
    ///
    /// ```swift
    /// tags.change { $0.formSymmetricDifference(["sea", "snow"]) }
    /// ```
    ///
    /// If the closure throws, what it changed before is assigned, and observers are notified, as after a mutation of the property in place.
    ///
    /// The closure runs before any observer is called. It is called again if another thread, or a handler that is called before the change
    /// (``KeyValueObservingOptions/prior``), writes the property meanwhile. The closure may read the property, and must not write it: the
    /// copy overwrites that.
    ///
    /// - Parameter body: Changes the copy.
    /// - Throws: the error of the closure's last call.
    /// - Complexity: O(*n*) for the copy of the members, which the closure makes when it first changes them.
    public func change<Failure: Error>(_ body: (inout Set<Element>) throws(Failure) -> Void) throws(Failure) {
        try editor.change(body)
    }
}

extension MutableSetValue: Sequence {
    /// The number of members.
    ///
    /// - Complexity: O(1)
    public var count: Int { self.set.count }

    /// `true` if there are no members.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { self.set.isEmpty }

    /// Returns `true` if the set contains `member` or a value equal to it.
    ///
    /// - Complexity: O(1)
    public func contains(_ member: Element) -> Bool { self.set.contains(member) }

    /// Returns an iterator over the members as they are at the time of the call.
    ///
    /// Later changes do not affect it.
    ///
    /// - Returns: an iterator over ``set``.
    /// - Complexity: O(1)
    public func makeIterator() -> Set<Element>.Iterator { self.set.makeIterator() }
}

extension MutableSetValue: CustomStringConvertible {
    /// The text of a plain set with these members.
    public var description: String { self.set.description }
}
