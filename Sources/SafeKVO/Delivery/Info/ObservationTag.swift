/// A name that keeps two observations of one key path by one controller apart.
///
/// ```swift
/// observations.observe(clock, \.date, tag: "title") { view, date in view.title = "\(date)" }
/// observations.observe(clock, \.date, tag: "hand") { view, date in view.turnHand(to: date) }
/// ```
public struct ObservationTag: Hashable, Sendable, RawRepresentable {
    /// The name.
    public let rawValue: String

    /// Makes a tag of a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a tag of a name.
    public init(_ name: String) {
        rawValue = name
    }
}

extension ObservationTag: ExpressibleByStringInterpolation {
    /// Makes a tag of a literal name.
    public init(stringLiteral value: String) {
        rawValue = value
    }
}

extension ObservationTag: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
