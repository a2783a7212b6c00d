import BenchmarkKit

/// Why a contender needs other runs or calls than expected: data of the repository.
public struct GraphReason: Sendable, Decodable {
    /// The contender.
    let contender: Contender
    /// Runs and calls by shape.
    let counts: [GraphShape: GraphCounts]
    /// The reason.
    let because: String

    private enum CodingKeys: CodingKey {
        case contender
        case counts
        case because
    }

    /// Reads a reason: the counts are written as in the table, as in `{"diamond": "10/5"}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        contender = try container.decode(Contender.self, forKey: .contender)
        because = try container.decode(String.self, forKey: .because)
        var counts: [GraphShape: GraphCounts] = [:]
        for (shape, text) in try container.decode([String: String].self, forKey: .counts) {
            let numbers = text.split(separator: "/").compactMap { Double($0) }
            guard let shape = GraphShape(rawValue: shape), numbers.count == 2 else {
                throw DecodingError.dataCorruptedError(forKey: .counts, in: container, debugDescription: "\(shape): \(text)")
            }
            counts[shape] = GraphCounts(runs: numbers[0], calls: numbers[1])
        }
        self.counts = counts
    }
}
