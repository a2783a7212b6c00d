/// One object of the graph.
///
/// Nodes below ``subjects`` have all properties. The others have only those of the base class: `a`, `items`, `set`, `level` and `text`.
package struct Node: Equatable, Sendable {
    package var a = 0
    package var items: [Int] = []
    package var set: Set<Int> = []
    /// The atomic property.
    package var level = 0
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
    /// The reference in plain storage, which is announced manually.
    package var manual: Int
    /// The weak reference, which is announced manually.
    package var weak: Int?
    /// The reference in plain storage whose getter calls `access(_:)`.
    package var accessed: Int
    /// The storage that the computed keys `outside` and `text` read, which nobody can see.
    package var foreign = 0

    /// The node that a plain chain leads to from here.
    func target(of hop: Property) -> Int {
        switch hop {
        case .inner: inner
        case .atomic: atomic
        case .fixed: fixed
        default: part
        }
    }

    /// How many nodes are of the class with all properties.
    package static let subjects = 3
    /// How many nodes there are.
    package static let count = 5

    /// The graph with which each program starts.
    package static let start = (0..<count).map { node in
        let parts = count - subjects
        return Node(
            inner: (node + 1) % subjects, part: subjects + node % parts, atomic: subjects + (node + 1) % parts,
            fixed: subjects + node % parts,
            manual: (node + 2) % subjects, accessed: (node + 1) % subjects)
    }
}
