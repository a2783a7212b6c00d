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
