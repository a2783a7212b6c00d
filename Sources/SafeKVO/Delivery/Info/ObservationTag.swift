/// A name that distinguishes two observations of the same key path by the same controller.
///
/// ```swift
/// observations.observe(clock, \.date, tag: "title") { view, date in
///     view.title = "\(date)"
/// }
/// observations.observe(clock, \.date, tag: "hand") { view, date in
///     view.turnHand(to: date)
/// }
/// ```
///
/// Two tags with the same name are equal. The library gives each asynchronous sequence a tag of its own, which equals no other tag.
public struct ObservationTag: Hashable, Sendable, RawRepresentable {
    /// The name.
    public let rawValue: String
    /// Makes the tag of each asynchronous sequence unique; zero for a tag that the program created.
    private let sequence: UInt

    /// Creates a tag with a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
        sequence = 0
    }

    /// Creates a tag with a name.
    public init(_ name: String) {
        self.init(rawValue: name)
    }

    init(sequence number: UInt) {
        rawValue = "sequence \(number)"
        sequence = number
    }

    /// Returns `true` if two tags have the same name and belong to the same sequence or to none.
    public static func == (one: ObservationTag, other: ObservationTag) -> Bool {
        one.sequence == other.sequence && one.rawValue == other.rawValue
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ObservationTag: ExpressibleByStringInterpolation {
    /// Creates a tag from a string literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension ObservationTag: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
