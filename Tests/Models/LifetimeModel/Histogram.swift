/// How often each thing was reached.
package struct Histogram: Sendable {
    package static let depths = 4
    package private(set) var operations = Array(repeating: 0, count: Operation.Sort.allCases.count)
    package private(set) var lettings: [String: Int] = [:]
    package private(set) var depths = Array(repeating: 0, count: Self.depths + 1)
    package private(set) var calls = 0
    package private(set) var total = 0

    package init() {}

    mutating func count(_ sort: Operation.Sort, depth: Int) {
        operations[Int(sort.rawValue)] += 1
        depths[min(depth, Self.depths)] += 1
        total += 1
    }

    mutating func countCall() { calls += 1 }

    mutating func count(lettings order: String) { lettings[order, default: 0] += 1 }

    package mutating func add(_ other: Histogram) {
        for (index, count) in other.operations.enumerated() { operations[index] += count }
        lettings.merge(other.lettings, uniquingKeysWith: +)
        for (index, count) in other.depths.enumerated() { depths[index] += count }
        calls += other.calls
        total += other.total
    }

    /// What was reached less often than so.
    package func gaps(below floor: Int) -> [String] {
        let orders = ["ocs", "osc", "cos", "cso", "soc", "sco"].flatMap { [$0 + " retaining", $0 + " not retaining"] }
        return Operation.Sort.allCases.filter { operations[Int($0.rawValue)] < floor }.map { "\($0)" }
            + orders.filter { lettings[$0, default: 0] < floor }
            + depths.indices.filter { depths[$0] < floor }.map { "depth \($0)" }
    }
}

extension Histogram: CustomStringConvertible {
    package var description: String {
        let rows =
            Operation.Sort.allCases.map { ("\($0)", operations[Int($0.rawValue)]) }
            + lettings.sorted { $0.key < $1.key }.map { ("let go of in the order \($0.key)", $0.value) }
            + depths.enumerated().map { ("depth \($0)", $1) } + [("calls", calls)]
        return rows.map { "  \($0): \($1)" }.joined(separator: "\n")
    }
}
