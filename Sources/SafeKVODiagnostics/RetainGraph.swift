/// A graph of objects that retain each other, which finds the retain cycles.
///
/// The graph contains identities only and never accesses an object.
struct RetainGraph {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var edges: [(from: Int, to: Int)] = []
    /// For each object, the indexes of the edges that begin at the object.
    private var outgoing: [[Int]] = []

    mutating func connect(_ holder: ObjectIdentifier, _ held: ObjectIdentifier) {
        let (from, to) = (number(of: holder), number(of: held))
        outgoing[from].append(edges.count)
        edges.append((from, to))
    }

    private mutating func number(of object: ObjectIdentifier) -> Int {
        if let number = numbers[object] { return number }
        numbers[object] = outgoing.count
        outgoing.append([])
        return outgoing.count - 1
    }

    /// Returns one cycle for each group (the shortest through the group's first object), and all edges inside groups.
    ///
    /// In a *group*, each object can be reached along edges from every object of the group, also from itself.
    func cycles() -> (cycles: [[Int]], edges: [Int]) {
        let groups = groups()
        let inside = edges.indices.filter { groups[edges[$0].from] == groups[edges[$0].to] }
        var firsts: [Int: Int] = [:]
        for edge in inside {
            let group = groups[edges[edge].from]
            firsts[group] = min(firsts[group] ?? .max, edges[edge].from)
        }
        return (firsts.values.sorted().compactMap { shortestCycle(through: $0, groups) }, inside)
    }

    private func shortestCycle(through start: Int, _ groups: [Int]) -> [Int]? {
        var cameBy: [Int: Int] = [:]
        var waiting = [start]
        var next = 0
        while next < waiting.count {
            let here = waiting[next]
            next += 1
            for edge in outgoing[here] where groups[edges[edge].to] == groups[start] && cameBy[edges[edge].to] == nil {
                let there = edges[edge].to
                cameBy[there] = edge
                if there == start { return way(backFrom: start, cameBy) }
                waiting.append(there)
            }
        }
        return nil
    }

    private func way(backFrom end: Int, _ cameBy: [Int: Int]) -> [Int] {
        var way: [Int] = []
        var here = end
        while let edge = cameBy[here] {
            way.append(edge)
            here = edges[edge].from
            if here == end { break }
        }
        return way.reversed()
    }

    /// Returns the group number of each object, with Kosaraju's algorithm for strongly connected components.
    private func groups() -> [Int] {
        let successors = outgoing.map { $0.map { edges[$0].to } }
        var predecessors = outgoing.map { _ in [Int]() }
        for edge in edges { predecessors[edge.to].append(edge.from) }
        var groups = outgoing.map { _ in 0 }
        let ended = Self.visits(in: Array(outgoing.indices), successors).joined()
        for (number, group) in Self.visits(in: ended.reversed(), predecessors).enumerated() {
            for object in group { groups[object] = number }
        }
        return groups
    }

    /// Returns, for each start, the objects that a depth-first search newly reaches, in postorder.
    ///
    /// The search is not recursive, because a long chain of observers could overflow the stack.
    private static func visits(in starts: [Int], _ neighbours: [[Int]]) -> [[Int]] {
        var isReached = starts.map { _ in false }
        return starts.map { start in
            var ended: [Int] = []
            var path = isReached[start] ? [] : [(object: start, next: 0)]
            isReached[start] = true
            while let (object, next) = path.last {
                if next == neighbours[object].count {
                    ended.append(object)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let neighbour = neighbours[object][next]
                if !isReached[neighbour] { path.append((neighbour, 0)) }
                isReached[neighbour] = true
            }
            return ended
        }
    }
}
