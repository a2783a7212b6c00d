/// Who does what is measured.
public struct Contender: Hashable, Sendable, Codable {
    /// As it stands before its rows' names and below bars.
    public let name: String

    /// This library.
    public static let safeKVO = Contender(name: "SafeKVO")
    /// The same by hand, with nothing between.
    public static let limit = Contender(name: "limit")

    /// Names a peer.
    public init(name: String) {
        self.name = name
    }

    /// Neither this library nor the limit.
    public var isPeer: Bool { self != .safeKVO && self != .limit }

    /// Measures a loop, for a case of the contender's; see ``Benchmark/loop(_:parts:setUp:)``.
    public func loop(_ cases: Case..., parts: Int = 1, setUp: @escaping () -> (_ passes: Int) -> Int) -> Benchmark {
        .loop(rowName(cases), parts: parts, setUp: setUp).by(self, cases)
    }

    /// Measures what can be done only once, for a case of the contender's; see ``Benchmark/once(_:parts:setUp:)``.
    public func once(_ cases: Case..., parts: Int, setUp: @escaping () -> () -> Int) -> Benchmark {
        .once(rowName(cases), parts: parts, setUp: setUp).by(self, cases)
    }

    /// Takes a figure as it comes, for a case of the contender's; see ``Benchmark/value(_:_:rounds:sample:)``.
    public func value(_ cases: Case..., unit: Unit, rounds: Int, sample: @escaping () -> Double) -> Benchmark {
        .value(rowName(cases), unit, rounds: rounds, sample: sample).by(self, cases)
    }

    /// Called for the first case; the row stands for the others too.
    private func rowName(_ cases: [Case]) -> String {
        "\(name): \(cases.first?.rawValue ?? "")"
    }

    /// Reads the name.
    public init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
