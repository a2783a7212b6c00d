/// `NSKeyValueObservingOptions`.
public struct CocoaOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    package static let new = CocoaOptions(rawValue: 1)
    package static let old = CocoaOptions(rawValue: 2)
    package static let initial = CocoaOptions(rawValue: 4)
    package static let prior = CocoaOptions(rawValue: 8)
}
