internal import Synchronization

/// The storage in which an ``AutomaticObserver`` keeps its controllers.
///
/// A slot takes two words, and allocates nothing until a controller is used. It is not `Sendable`, because its controllers are not.
public struct ObservationSlot: ~Copyable {
    let storage = SlotStorage()

    /// Makes a slot without controllers.
    ///
    /// Nothing is allocated.
    public init() {}
}

@available(*, unavailable, message: "A Sendable observer conforms to SharedObserver, with a SharedObservationSlot.")
extension ObservationSlot: Sendable {}

/// The storage in which a ``SharedObserver`` keeps its controllers.
///
/// A slot takes two words, and allocates nothing until a controller is used.
public struct SharedObservationSlot: ~Copyable, Sendable {
    let storage = SlotStorage()

    /// Makes a slot without controllers.
    ///
    /// Nothing is allocated.
    public init() {}
}

/// The cores of the controllers that one observer keeps in a slot.
///
/// A client that destroys a slot needs the symbol of this type, so that the type is not internal.
@usableFromInline
struct SlotStorage: ~Copyable, Sendable {
    private let retaining = OnceReference<ControllerCore>()
    private let nonRetaining = OnceReference<ControllerCore>()

    deinit {
        _ = retaining.with { $0.invalidate(for: .observerDeinitialized) }
        _ = nonRetaining.with { $0.invalidate(for: .observerDeinitialized) }
    }

    /// Returns the stored core of an observer's controller, made at the first call.
    ///
    /// All threads get the same core. The program stops with a message if this slot is not stored in `observer` itself.
    func core(of observer: AnyObject, retainsObserved: Bool) -> ControllerCore {
        retainsObserved ? Self.core(retaining, observer, true) : Self.core(nonRetaining, observer, false)
    }

    private static func core(
        _ place: borrowing OnceReference<ControllerCore>, _ observer: AnyObject, _ retainsObserved: Bool
    ) -> ControllerCore {
        if let core = place.object {
            if core.observerIdentity != ObjectIdentifier(observer) { refuse(type(of: observer)) }
            return core
        }
        if !StoredPlace(of: place.word).isInside(observer) { refuse(type(of: observer)) }
        let made = ControllerCore(observer: observer, retainsObserved: retainsObserved)
        let stored = place.store(made)
        if stored === made { made.recordIfAsked() }
        return stored
    }

    private static func refuse(_ type: AnyClass) -> Never {
        Mistake.stop(
            """
            `\(type).observationSlot` is not stored in the object itself. Declare it as a stored property, as in \
            `let observationSlot = ObservationSlot()`. A computed property, or the slot of another object, cannot be used.
            """)
    }
}
