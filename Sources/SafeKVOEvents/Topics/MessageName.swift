/// The name of a message, by which observers select it.
///
/// ```swift
/// extension MessageName {
///     static let albumDidChange: MessageName = "albumDidChange"
/// }
/// ```
public struct MessageName: RawRepresentable, Sendable {
    /// The name as text.
    public let rawValue: String
    /// The hash of the text, computed once.
    let hash: Int

    /// Makes a name from a text.
    public init(rawValue: String) {
        self.rawValue = rawValue
        hash = rawValue.hashValue
    }

    /// Makes a name from a text.
    public init(_ name: String) {
        self.init(rawValue: name)
    }
}

extension MessageName: Hashable {
    /// Returns `true` if two names are the same text.
    public static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.rawValue == right.rawValue
    }

    /// Adds the name to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension MessageName: ExpressibleByStringInterpolation {
    /// Makes a name from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension MessageName: CustomStringConvertible {
    /// The text of the name.
    public var description: String { rawValue }
}
