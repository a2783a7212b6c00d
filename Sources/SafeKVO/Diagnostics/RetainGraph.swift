/// A graph of objects that retain each other, which finds the retain cycles.
///
/// The graph contains identities only and never accesses an object.
struct RetainGraph {
    /// The number of each object, counted from zero in the order in which the objects were added.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var edges: [(from: Int, to: Int)] = []
    /// For each object's number, the indexes of the edges that begin at the object.
    private var outgoing: [[Int]] = []

    /// Adds an edge from an object to an object that it retains.
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

    /// Finds the retain cycles.
    ///
    /// A group is a set of objects that can all reach each other along the edges.
    ///
    /// - Returns: In `cycles`, the edges of one cycle for each group: the shortest cycle through the group's first object. In
    ///   `edges`, all edges inside groups.
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

    /// Returns the edges of the shortest cycle through an object, inside its group; `nil` if there is none.
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

    /// Returns, for each object, the number of its group.
    ///
    /// Two objects are in one group if each can reach the other along the edges. This is Tarjan's algorithm. It uses arrays
    /// instead of recursion, because a long chain of observers could overflow the stack of a thread.
    private func groups() -> [Int] {
        let none = -1
        var groups = Array(repeating: none, count: outgoing.count)
        var arrival = groups
        /// For each object, the smallest arrival number among the objects that it can reach.
        var earliest = groups
        var arrivals = 0
        var groupCount = 0
        var open: [Int] = []
        var visits: [(object: Int, next: Int)] = []

        func arrive(at object: Int) {
            arrival[object] = arrivals
            earliest[object] = arrivals
            arrivals += 1
            open.append(object)
            visits.append((object, 0))
        }

        for start in outgoing.indices where arrival[start] == none {
            arrive(at: start)
            while let visit = visits.last {
                let object = visit.object
                if visit.next < outgoing[object].count {
                    visits[visits.count - 1].next += 1
                    let there = edges[outgoing[object][visit.next]].to
                    if arrival[there] == none {
                        arrive(at: there)
                    } else if groups[there] == none {
                        earliest[object] = min(earliest[object], arrival[there])
                    }
                    continue
                }
                visits.removeLast()
                if let before = visits.last?.object { earliest[before] = min(earliest[before], earliest[object]) }
                guard earliest[object] == arrival[object] else { continue }
                while let member = open.popLast() {
                    groups[member] = groupCount
                    if member == object { break }
                }
                groupCount += 1
            }
        }
        return groups
    }
}
