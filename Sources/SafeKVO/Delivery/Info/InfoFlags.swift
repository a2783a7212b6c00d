/// The constant properties of a registration that each delivery needs.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    @_alwaysEmitIntoClient package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    @_alwaysEmitIntoClient package static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    @_alwaysEmitIntoClient static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    @_alwaysEmitIntoClient package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// Set if the handler was registered with `on:`.
    static let transfers = InfoFlags(rawValue: 1 << 14)
    /// Set if the handler is `Sendable`: any thread may call and release it.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    /// Set if the handler belongs to a sequence; no other kind of handler has this bit.
    static let sequence = InfoFlags(.sequence)
    /// Set if the broker must look where it is before it calls the handler: the handler has an isolation, or fills a buffer on any thread.
    static let hasPlace: InfoFlags = [.mainActor, .otherIsolation, .transfers, .sequence]

    /// `true` if the handler belongs to no isolation and is not `Sendable`, so that only one thread at a time may use what it captures.
    var isUnprotected: Bool { isDisjoint(with: [.mainActor, .otherIsolation, .transfers, .sendable]) && handlerKind != .dependency }

    /// Set if the handler needs the whole value, even if only some elements of a collection change.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// Set for the library's own registrations that follow only manual notifications of a key.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// Set for the library's own registrations that serve a computed or nested key path of the same object.
    ///
    /// Registrations that do not retain the observed object are counted: while there are any, deliveries retain the object. A registration
    /// with this flag is not counted, because the key path's observers are.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    var wantsOldValue: Bool { contains(.oldValue) || contains(.comparesValues) && !contains(.wholeValue) }

    private static let kindShift: UInt16 = 8
    private static let kindMask: UInt16 = 7

    var handlerKind: HandlerKind {
        HandlerKind(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.kindShift & Self.kindMask)) ?? .closure
    }

    @_alwaysEmitIntoClient
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: HandlerKind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
}
