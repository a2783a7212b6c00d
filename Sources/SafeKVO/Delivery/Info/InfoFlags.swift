/// The unchanging facts of an info that a delivery asks for.
@usableFromInline
struct InfoFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    /// The observer asked for new values.
    @inlinable static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    /// The observer asked for old values.
    @inlinable static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    /// The observer asked for a call before the change.
    static let priorCall = InfoFlags(rawValue: 1 << 3)
    /// The observer asked for a call on registration.
    static let initialCall = InfoFlags(rawValue: 1 << 2)
    /// Somebody compares old and new value, so that the old one must be read.
    @inlinable static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    /// The info holds a strong reference to the subject until removal.
    static let retainsSubject = InfoFlags(rawValue: 1 << 5)
    /// The handler was formed on the main actor and may only run on the main thread.
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    /// The handler was formed in another isolation, which the extras name.
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// The handler is called elsewhere: the extras say where.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// The handler is `Sendable`: it may be called and released on any thread.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    /// The handler does not run just anywhere.
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// The handler wants the whole value, also of a change of a few elements.
    static let wholeValue = InfoFlags(rawValue: 1 << 7)
    /// The info follows what is announced by hand only: the rest its owner follows at the source.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// The info follows a property for the sake of others of the same object, whose infos say whether the subject is retained.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    /// Whether the handler, or what decides whether to call it, is told the value before the change.
    ///
    /// A handler that is told whole values alone compares with the last one that it was told.
    var wantsOldValue: Bool { contains(.oldValue) || contains(.comparesValues) && !contains(.wholeValue) }

    private static let kindShift: UInt16 = 8
    private static let kindMask: UInt16 = 7

    /// The kind of handler, for diagnostics.
    var handlerKind: ObservationHandlerKind {
        ObservationHandlerKind(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.kindShift & Self.kindMask)) ?? .closure
    }

    /// What the observer asked for.
    var options: KeyValueObservingOptions {
        KeyValueObservingOptions(rawValue: UInt8(truncatingIfNeeded: rawValue)).intersection([.new, .old, .initial, .prior])
    }

    @inlinable
    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: ObservationHandlerKind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
}
