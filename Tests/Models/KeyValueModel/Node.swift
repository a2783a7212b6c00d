/// One object of the graph.
///
/// Nodes below ``subjects`` have all properties, and so has ``mortal``. The others have only those of the base class.
package struct Node: Equatable, Sendable {
    package var a = 0
    package var items: [Int] = []
    package var set: Set<Int> = []
    /// The atomic property.
    package var level = 0
    /// The stored values of the properties that are overridden.
    package var shade = 0
    package var width = 0
    package var tags: [Int] = []
    package var b = 0
    package var quiet = 0
    package var next: Int?
    package var inner: Int
    package var part: Int
    /// The stored property whose class declares what it depends on.
    package var own = 0
    /// The atomic reference.
    package var atomic: Int
    /// The constant reference.
    package let fixed: Int
    /// The reference in plain storage, whose getter reports nothing.
    package var manual: Int
    /// The weak reference.
    package var weak: Int?
    /// The reference in plain storage whose getter calls `access(_:)`.
    package var accessed: Int
    /// The storage that the computed keys `outside` and `text` read, which nobody can see.
    package var foreign = 0

    /// The tags that a node keeps of those that are assigned to it: one with all properties keeps the first four, and no number above 2.
    static func kept(_ tags: [Int], by node: Int) -> [Int] { overrides(node) ? tags.prefix(4).map { min($0, 2) } : tags }

    /// `true` if a node is of the class that overrides properties of the base class.
    static func overrides(_ node: Int) -> Bool { node < subjects || node == mortal }

    /// How many nodes are of the class with all properties.
    package static let subjects = 3
    /// How many nodes live as long as the program.
    package static let count = 5
    /// The node that can die, to which only weak references lead; it has all properties, and a new one takes its place.
    package static let mortal = count

    /// The graph with which each program starts.
    package static let start = (0...mortal).map { node in
        let parts = count - subjects
        return Node(
            inner: (node + 1) % subjects, part: subjects + node % parts, atomic: subjects + (node + 1) % parts,
            fixed: subjects + node % parts,
            manual: (node + 2) % subjects, accessed: (node + 1) % subjects)
    }
}
