/// A name that keeps two observations of one key path by one controller apart.
///
/// ```swift
/// observations.observe(clock, \.date, tag: "title") { view, date in view.title = "\(date)" }
/// observations.observe(clock, \.date, tag: "hand") { view, date in view.turnHand(to: date) }
/// ```
///
/// Two tags with the same name are equal. The tag of a sequence is equal to no other, whatever its name.
public struct ObservationTag: Hashable, Sendable, RawRepresentable {
    /// The name.
    public let rawValue: String
    /// The number of the sequence that the tag belongs to; zero for the tags that a program makes.
    private let sequence: UInt

    /// Makes a tag of a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
        sequence = 0
    }

    /// Makes a tag of a name.
    public init(_ name: String) {
        self.init(rawValue: name)
    }

    /// Makes the tag of a sequence, which no program can write.
    ///
    /// - Parameter number: The number of the sequence, from one on.
    init(sequence number: UInt) {
        rawValue = "sequence \(number)"
        sequence = number
    }

    /// Returns whether two tags have the same name and belong to the same sequence, or to none.
    public static func == (one: ObservationTag, other: ObservationTag) -> Bool {
        one.sequence == other.sequence && one.rawValue == other.rawValue
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ObservationTag: ExpressibleByStringInterpolation {
    /// Makes a tag of a literal name.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension ObservationTag: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
