/// What a row is compared with, and what it may cost: data of the repository.
public struct Threshold: Sendable, Decodable {
    /// The row.
    public let row: String
    /// The row that it is compared with.
    public let limit: String?
    /// So many times the other row, at most.
    public let atMostTimes: Double?
    /// So many of the row's own unit, at most.
    public let atMost: Double?
    /// So many of the row's own unit, at least.
    public let atLeast: Double?
    /// Why the budget is not met, where that is known.
    public let missed: String?
    /// Why the best peer does better, where that is known.
    public let behind: String?

    /// The budget in words.
    func budget(unit: Unit) -> String? {
        if let atMostTimes { return "≤ \(atMostTimes.shortest) times" }
        if let atMost { return "≤ \(atMost.shortest) \(unit.rawValue)" }
        if let atLeast { return "≥ \(atLeast.shortest) \(unit.rawValue)" }
        return nil
    }

    /// Whether the budget is met; absent without a budget.
    func isMet(figure: Double, ratio: Double?) -> Bool? {
        if let atMostTimes { return ratio.map { $0 <= atMostTimes } }
        if let atMost { return figure <= atMost }
        if let atLeast { return figure >= atLeast }
        return nil
    }
}

extension Double {
    /// Without decimals where there are none.
    fileprivate var shortest: String {
        self == rounded() ? String(Int(self)) : String(self)
    }
}
