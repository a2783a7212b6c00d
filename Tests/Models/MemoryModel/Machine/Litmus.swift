/// A small program with a known answer, by which the checker itself is checked.
package struct Litmus {
    package let name: String
    package let program: Program
    /// The results that the model allows, or forbids, of those that the program is about.
    package let allowed: [[Int]]
    package let forbidden: [[Int]]

    /// A step of a litmus test.
    package typealias Body = (_ thread: ModelThread, _ words: [Memory.Atomic], _ results: [Memory.Ghost]) throws -> Void

    package static let relaxed = Site("", "", "access", .relaxed)
    package static let acquiring = Site("", "", "access", .acquiring)
    package static let releasing = Site("", "", "access", .releasing)
    package static let both = Site("", "", "access", .acquiringAndReleasing)
    package static let fence = Site("", "", "fence", .sequentiallyConsistent)

    package init(
        _ name: String, words count: Int = 2, results: Int = 2, allowed: [[Int]] = [], forbidden: [[Int]] = [], finalWords: Bool = false,
        _ bodies: [Body]
    ) {
        self.name = name
        self.allowed = allowed
        self.forbidden = forbidden
        var memory = Memory()
        let words = (0..<count).map { memory.atomic("xyzw".map { String($0) }[$0]) }
        let ghosts = (0..<results).map { _ in memory.ghost(-1) }
        program = Program(
            name, memory, bodies.enumerated().map { index, body in ("thread \(index + 1)", [{ try body($0, words, ghosts) }]) }
        ) { thread in
            for (index, ghost) in ghosts.enumerated() { thread.locals[index] = try thread.ghost(ghost) }
            if finalWords {
                for (index, word) in words.enumerated() { thread.locals[results + index] = try thread.load(word, Self.relaxed) }
            }
        }
    }
}
