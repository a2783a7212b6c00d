extension MutableSetValue: Collection {
    /// The position of a member.
    ///
    /// A position is valid until the set changes.
    public typealias Index = Set<Element>.Index
    /// An iterator over the members as they were when the iterator was made.
    public typealias Iterator = Set<Element>.Iterator

    /// The position of the first member.
    public var startIndex: Set<Element>.Index { read { $0.startIndex } }

    /// The position after the last member.
    public var endIndex: Set<Element>.Index { read { $0.endIndex } }

    /// The number of members.
    ///
    /// - Complexity: O(1)
    public var count: Int { read { $0.count } }

    /// `true` if there are no members.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { read { $0.isEmpty } }

    /// Returns the position after another one.
    ///
    /// - Parameter i: The position of a member. The end position traps.
    /// - Returns: the next position.
    /// - Complexity: O(1)
    public func index(after i: Set<Element>.Index) -> Set<Element>.Index {
        read { set in
            Self.check(i, in: set)
            return set.index(after: i)
        }
    }

    /// The member at a position.
    ///
    /// - Parameter position: The position of a member. The end position traps.
    /// - Complexity: O(1)
    public subscript(position: Set<Element>.Index) -> Element {
        read { set in
            Self.check(position, in: set)
            return set[position]
        }
    }

    private static func check(_ position: Set<Element>.Index, in set: Set<Element>) {
        Mistake.check(position < set.endIndex, "\(Self.self): the position is after the last member. Compare it with `endIndex` first.")
    }

    /// Returns an iterator over the members as they are at the time of the call.
    ///
    /// Later changes do not affect it.
    ///
    /// - Returns: an iterator over ``set``.
    /// - Complexity: O(1)
    public func makeIterator() -> Set<Element>.Iterator { self.set.makeIterator() }

    /// Returns `true` if the set contains `member` or a value equal to it.
    ///
    /// - Complexity: O(1)
    public func contains(_ member: Element) -> Bool { read { $0.contains(member) } }
}

extension MutableSetValue: Equatable {
    /// Returns `true` if two sets have equal members, even if they belong to different objects.
    public static func == (left: Self, right: Self) -> Bool {
        left.set == right.set
    }
}

extension MutableSetValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text of a plain set with these members.
    public var description: String { read { $0.description } }

    /// The text of a plain set with these members.
    public var debugDescription: String { read { $0.debugDescription } }
}
