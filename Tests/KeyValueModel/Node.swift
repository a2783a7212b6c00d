/// One object of the graph.
///
/// Nodes below ``subjects`` have all properties; the others only those of the base class: `a`, `items` and `set`.
package struct Node: Equatable, Sendable {
    package var a = 0
    package var items: [Int] = []
    package var set: Set<Int> = []
    package var b = 0
    package var quiet = 0
    package var next: Int?
    package var inner: Int
    package var part: Int
    /// What the computed key `outside` is made of, and nobody can see.
    package var foreign = 0

    /// How many nodes are of the class with all properties.
    package static let subjects = 3
    /// How many nodes there are.
    package static let count = 5

    /// The graph with which each program starts.
    package static let start = (0..<count).map { node in
        Node(inner: (node + 1) % subjects, part: subjects + node % (count - subjects))
    }
}
