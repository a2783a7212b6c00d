/// What one call tells.
package struct Told: Equatable, Sendable {
    package enum Phase: String, Sendable {
        case initial, prior, after
        /// A call of the value form, which does not know.
        case value
    }

    package var phase: Phase
    package var kind: Kind
    package var old: Value?
    package var new: Value?
    package var indexes: [Int]?

    package init(_ phase: Phase, _ kind: Kind = .setting, old: Value? = nil, new: Value? = nil, indexes: [Int]? = nil) {
        self.phase = phase
        self.kind = kind
        self.old = old
        self.new = new
        self.indexes = indexes
    }
}

extension Told: CustomStringConvertible {
    package var description: String {
        var words = [phase.rawValue]
        if kind != .setting { words.append(kind.rawValue) }
        if let old { words.append("old \(old)") }
        if let new { words.append("new \(new)") }
        if let indexes { words.append("at \(indexes)") }
        return words.joined(separator: " ")
    }
}
