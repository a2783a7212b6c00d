extension MutableSetValue: Collection {
    /// A position among the members, good until the set is changed.
    public typealias Index = Set<Element>.Index
    /// Goes over the members as they were at the beginning.
    public typealias Iterator = Set<Element>.Iterator

    /// The position of the first member.
    public var startIndex: Set<Element>.Index { read { $0.startIndex } }

    /// The position after the last member.
    public var endIndex: Set<Element>.Index { read { $0.endIndex } }

    /// The number of members.
    ///
    /// - Complexity: O(1)
    public var count: Int { read { $0.count } }

    /// Whether there are no members.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { read { $0.isEmpty } }

    /// The position after another one.
    ///
    /// - Parameter i: A position of a member.
    /// - Returns: the one after it.
    /// - Complexity: O(1)
    public func index(after i: Set<Element>.Index) -> Set<Element>.Index {
        read { set in
            Self.check(i, in: set)
            return set.index(after: i)
        }
    }

    /// The member at a position.
    ///
    /// - Parameter position: A position of a member.
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

    /// Goes over the members as they are at the moment; what changes meanwhile is not seen.
    ///
    /// - Returns: an iterator over ``set``.
    /// - Complexity: O(1)
    public func makeIterator() -> Set<Element>.Iterator { self.set.makeIterator() }

    /// Whether a value is a member.
    ///
    /// - Parameter member: The value.
    /// - Returns: true if it, or one equal to it, is in the set.
    /// - Complexity: O(1)
    public func contains(_ member: Element) -> Bool { read { $0.contains(member) } }
}

extension MutableSetValue: Equatable {
    /// Whether two sets have equal members, whichever objects they belong to.
    public static func == (left: Self, right: Self) -> Bool {
        left.set == right.set
    }
}

extension MutableSetValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The members, as a set writes them.
    public var description: String { read { $0.description } }

    /// The members, as a set writes them.
    public var debugDescription: String { read { $0.debugDescription } }
}
