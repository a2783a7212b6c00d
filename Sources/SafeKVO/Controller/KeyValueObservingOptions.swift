/// What an observer wants to be told, and when.
public struct KeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Makes options of bits.
    ///
    /// - Parameter rawValue: The bits. Bits that stand for no option are left out.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 0b1111
    }

    /// The change carries the new value.
    public static let new = KeyValueObservingOptions(rawValue: 1)
    /// The change carries the old value.
    public static let old = KeyValueObservingOptions(rawValue: 1 << 1)
    /// One call before `observe` returns, to this observer only: never with an old value, with the present one if ``new`` is asked for too.
    ///
    /// Changes that another thread makes during this call wait for it. The registering thread hands them over; `observe` returns when none waits.
    public static let initial = KeyValueObservingOptions(rawValue: 1 << 2)
    /// One more call before each change: never with a new value, with the old one if ``old`` is asked for too.
    public static let prior = KeyValueObservingOptions(rawValue: 1 << 3)
}

extension KeyValueObservingOptions: CustomStringConvertible {
    /// The options as they are written in source.
    public var description: String {
        let names: [(KeyValueObservingOptions, String)] = [
            (.initial, ".initial"), (.new, ".new"), (.old, ".old"), (.prior, ".prior"),
        ]
        return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}

extension KeyValueObservingOptions {
    /// The options of a form that hands over values.
    ///
    /// - Parameter initial: `true` if the present value is handed over first.
    /// - Returns: the options.
    @inlinable
    package static func value(initial: Bool) -> KeyValueObservingOptions { initial ? [.initial, .new] : .new }
}

extension InfoFlags {
    /// The flags of what an observer asks for; their bits are those of the options.
    init(_ kind: ObservationHandlerKind, _ options: KeyValueObservingOptions) {
        self = InfoFlags(kind).union(InfoFlags(rawValue: UInt16(options.rawValue)))
    }

    /// What the observer asked for.
    var options: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
}
