extension MutableSetValue: Sequence {
    /// An iterator over the members as they were when the iterator was made.
    public typealias Iterator = Set<Element>.Iterator

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

extension MutableSetValue: Equatable {
    /// Returns `true` if two sets have equal members, even if they belong to different objects.
    public static func == (left: Self, right: Self) -> Bool {
        left.set == right.set
    }
}

extension MutableSetValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text of a plain set with these members.
    public var description: String { self.set.description }

    /// The text of a plain set with these members.
    public var debugDescription: String { self.set.debugDescription }
}
