/// Options that choose what a change contains, and when the handler is called.
public struct KeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Makes options from bits.
    ///
    /// - Parameter rawValue: The bits. Bits that stand for no option are ignored.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 0b1111
    }

    /// The change contains the new value.
    public static let new = KeyValueObservingOptions(rawValue: 1)
    /// The change contains the old value.
    ///
    /// For a computed or nested key path, this is the value after the last change that was noticed, or at the registration. If that value
    /// was an object that has been deallocated, the old value is nil in an optional, and otherwise absent.
    ///
    /// At the end of a batch, the old value is absent if no observer asked for it at the first change of the key.
    public static let old = KeyValueObservingOptions(rawValue: 1 << 1)
    /// The handler is also called once before `observe` returns.
    ///
    /// Only the new observer is called. The change contains the present value if ``new`` is set, too, and never an old value. With `on:`,
    /// the call comes later if the handler may not run on the registering thread.
    ///
    /// A change that another thread makes during this call waits. The registering thread delivers it after the call. `observe` returns once
    /// no change is waiting.
    public static let initial = KeyValueObservingOptions(rawValue: 1 << 2)
    /// The handler is also called before each change.
    ///
    /// In the call before a change, the change never contains a new value. It contains the old value if ``old`` is set, too.
    ///
    /// For a computed or nested key path, the handler is called before each change of a property that the key path reads. A change that is
    /// made outside the isolation of the registration causes no call before it.
    ///
    /// If the controller is paused between the two calls of a change, the second one still comes for a property. It does not come for a
    /// computed or nested key path, or at the end of a batch.
    ///
    /// With `removing: .duplicates`, an assignment of an equal value calls the handler neither before nor after the change. For a change in
    /// place or of a computed key path, the new value is not known in advance. So the handler is called before the change, even if the call
    /// after the change is skipped.
    public static let prior = KeyValueObservingOptions(rawValue: 1 << 3)
}

extension KeyValueObservingOptions: CustomStringConvertible {
    /// The options as they are written in source code.
    public var description: String {
        let names: [(KeyValueObservingOptions, String)] = [
            (.initial, ".initial"), (.new, ".new"), (.old, ".old"), (.prior, ".prior"),
        ]
        return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}

extension KeyValueObservingOptions {
    /// Returns the options of a handler that takes values.
    ///
    /// With `initial`, the handler first gets the present value.
    @_alwaysEmitIntoClient
    package static func value(_ initial: Bool) -> KeyValueObservingOptions {
        KeyValueObservingOptions(ofValues: initial ? 0b1000_0101 : 0b1000_0001)
    }

    @usableFromInline
    init(ofValues bits: UInt8) { rawValue = bits }
}

extension InfoFlags {
    /// Combines the kind of a handler with the options that the program gave.
    ///
    /// Each option must have the same bit in `InfoFlags` and in `KeyValueObservingOptions`.
    init(_ kind: HandlerKind, _ options: KeyValueObservingOptions) {
        self = InfoFlags(kind).union(InfoFlags(rawValue: UInt16(options.rawValue)))
    }

    var options: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
}
