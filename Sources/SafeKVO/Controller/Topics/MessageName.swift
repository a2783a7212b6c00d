/// The name of a message: what its observers ask for.
///
/// ```swift
/// extension MessageName {
///     static let albumDidChange: MessageName = "albumDidChange"
/// }
/// ```
public struct MessageName: RawRepresentable, Sendable {
    /// The name as text.
    public let rawValue: String
    /// Made once, so that posting need not walk through the text.
    let hash: Int

    /// Makes a name of a text.
    public init(rawValue: String) {
        self.rawValue = rawValue
        hash = rawValue.hashValue
    }

    /// Makes a name of a text.
    public init(_ name: String) {
        self.init(rawValue: name)
    }
}

extension MessageName: Hashable {
    /// Whether two names are the same text.
    public static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.rawValue == right.rawValue
    }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension MessageName: ExpressibleByStringInterpolation {
    /// Makes a name of a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension MessageName: CustomStringConvertible {
    /// The name as text.
    public var description: String { rawValue }
}
