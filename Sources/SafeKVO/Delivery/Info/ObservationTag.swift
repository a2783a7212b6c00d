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
public struct ObservationTag: Hashable, Sendable {
    let name: String
    /// Makes the tag of each asynchronous sequence unique; zero for a tag that the program created.
    private let sequence: UInt

    /// Creates a tag with a name.
    public init(_ name: String) {
        self.name = name
        sequence = 0
    }

    init(sequence number: UInt) {
        name = "sequence \(number)"
        sequence = number
    }
}

extension ObservationTag: ExpressibleByStringInterpolation {
    /// Creates a tag from a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension ObservationTag: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
