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
        let come: Set<Element> = contains(newMember) ? [] : [newMember]
        return edit(.insertion, come: come) { $0.insert(newMember) }
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
        if let present = member(equalTo: newMember) {
            edit(.replacement, gone: [present], come: [newMember]) { $0.update(with: newMember) }
        } else {
            edit(.insertion, come: [newMember]) { $0.update(with: newMember) }
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
        let gone = self.member(equalTo: member)
        return edit(.removal, gone: gone.map { [$0] } ?? []) { $0.remove(member) }
    }

    /// Removes all members.
    ///
    /// Announces a removal of all.
    ///
    /// - Parameter keepingCapacity: Whether the set should have room for as many members as it has now.
    /// - Complexity: O(1) beside the release of the members.
    public func removeAll(keepingCapacity: Bool = false) {
        var rest: Set<Element> = []
        if keepingCapacity { rest.reserveCapacity(read { $0.capacity }) }
        edit(.removal, gone: self.set) { swap(&$0, &rest) }
    }

    /// The member that is equal to a value.
    private func member(equalTo value: Element) -> Element? {
        read { set in set.firstIndex(of: value).map { set[$0] } }
    }
}
