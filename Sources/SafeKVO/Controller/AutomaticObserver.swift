internal import Synchronization

/// A class whose instances observe other objects without making a controller.
///
/// Store an ``ObservationSlot`` in the class, and register through ``observations``:
///
/// ```swift
/// final class ClockView: AutomaticObserver {
///     let observationSlot = ObservationSlot()
///
///     func show(_ clock: WallClock) {
///         observations.observe(clock, \.date) { view, date in
///             view.date = date
///         }
///     }
/// }
/// ```
///
/// A class of the main actor, or of another global actor, conforms in its isolation: `final class View: @MainActor AutomaticObserver`. An
/// actor, and a class that is `Sendable` without belonging to an actor, conforms to ``SharedObserver`` instead.
///
/// The library makes the controller when it is first used. In the observer's `deinit`, every registration is refused. A superclass and its
/// subclasses share their controllers.
public protocol AutomaticObserver: AnyObject {
    /// The storage of the controllers that the library makes for this observer.
    ///
    /// Declare it as a stored property, `let observationSlot = ObservationSlot()`. The program stops with a message if the property is
    /// computed or returns the slot of another object.
    var observationSlot: ObservationSlot { get }
}

extension AutomaticObserver {
    /// A controller for this observer.
    ///
    /// The controller retains each observed object until the object is unobserved.
    public var observations: ObservationController<Self> {
        ObservationController(core: observationSlot.storage.core(of: self, retainsObserved: true))
    }

    /// A controller for this observer that does not retain the observed objects.
    public var nonRetainingObservations: ObservationController<Self> {
        ObservationController(core: observationSlot.storage.core(of: self, retainsObserved: false))
    }
}

/// A `Sendable` class, or an actor, whose instances observe other objects without making a controller.
///
/// Store a ``SharedObservationSlot`` in the class, and register through ``observations``:
///
/// ```swift
/// final class Log: SharedObserver {
///     let observationSlot = SharedObservationSlot()
///
///     func follow(_ download: Download) {
///         observations.observe(
///             download, \.progress, on: .anyThread { log, progress in log.write(progress) })
///     }
/// }
/// ```
///
/// An actor declares the slot as `nonisolated let observationSlot = SharedObservationSlot()`.
///
/// The library makes the controller when it is first used, on any thread. In the observer's `deinit`, every registration is refused. A
/// superclass and its subclasses share their controllers.
public protocol SharedObserver: AnyObject, Sendable {
    /// The storage of the controllers that the library makes for this observer.
    ///
    /// Declare it as a stored property, `let observationSlot = SharedObservationSlot()`. The program stops with a message if the property
    /// is computed or returns the slot of another object.
    nonisolated var observationSlot: SharedObservationSlot { get }
}

extension SharedObserver {
    /// A controller for this observer.
    ///
    /// The controller retains each observed object until the object is unobserved.
    public nonisolated var observations: SharedObservationController<Self> {
        SharedObservationController(core: observationSlot.storage.core(of: self, retainsObserved: true))
    }

    /// A controller for this observer that does not retain the observed objects.
    public nonisolated var nonRetainingObservations: SharedObservationController<Self> {
        SharedObservationController(core: observationSlot.storage.core(of: self, retainsObserved: false))
    }
}

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
        FatalMistake.stop(
            """
            `\(type).observationSlot` is not stored in the object itself. Declare it as a stored property, as in \
            `let observationSlot = ObservationSlot()`. A computed property, or the slot of another object, cannot be used.
            """)
    }
}
