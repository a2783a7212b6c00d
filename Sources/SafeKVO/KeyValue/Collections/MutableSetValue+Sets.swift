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
