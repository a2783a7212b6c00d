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
/// The library makes the controller when it is first used, on any thread. In the observer's `deinit`, every registration is refused. A
/// superclass and its subclasses share their controllers.
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
        ObservationController(core: observationSlot.core(of: self, retainsObserved: true))
    }

    /// A controller for this observer that does not retain the observed objects.
    public var nonRetainingObservations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: false))
    }
}

extension AutomaticObserver where Self: Sendable {
    /// A controller for this observer that several threads may use.
    ///
    /// The controller retains each observed object until the object is unobserved.
    @_documentation(visibility: internal)
    public var observations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: true, isShared: true))
    }

    /// A controller for this observer that does not retain the observed objects, and that several threads may use.
    @_documentation(visibility: internal)
    public var nonRetainingObservations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: false, isShared: true))
    }
}

/// Functions that attach an observer, so that the program needs no controller.
///
/// Each observer gets its own ``ControllerCore``, which lives until the observation ends.
extension ObserverList {
    @usableFromInline
    func attach(
        _ observer: AnyObject, to subject: AnyObject, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        if attachment(of: observer) != nil { return .alreadyObserved }
        let core = ControllerCore(observer: observer, retainsObserved: false, isOfAttachment: true)
        let result = core.observe(subject, registration, make: make) {
            core.recordIfAsked()
            return ListTarget(observers: self)
        }
        // Two threads may have added the same observer at once. Only the first observation in the list stays.
        guard let first = attachment(of: observer), !first.isOwned(by: core) else { return result }
        _ = core.unobserveAll()
        return .alreadyObserved
    }

    func detach(_ observer: AnyObject) -> Bool {
        attachment(of: observer)?.end(for: .removed) ?? false
    }

    /// Finds the observation in this list that ``attach(_:to:_:make:)`` made for `observer`.
    ///
    /// The search also ends the attached observations of deallocated observers. Otherwise they would stay until the next event.
    private func attachment(of observer: AnyObject) -> ObservationInfo? {
        var dead: [ObservationInfo] = []
        defer { for info in dead { info.end(for: .observerDeinitialized) } }
        let identity = ObjectIdentifier(observer)
        return firstInfo { info in
            info.ifKept {
                info.withOwner { owner in
                    if !owner.isOfAttachment || info.isOver { return false }
                    if owner.isObserverGone {
                        dead.append(info)
                        return false
                    }
                    // Compare the objects, too: a new object can have the address of a deallocated observer.
                    return owner.observerIdentity == identity && owner.observer === observer
                }
            } ?? false
        }
    }
}

/// The storage in which an ``AutomaticObserver`` keeps its controllers.
///
/// A slot takes two words, and allocates nothing until a controller is used.
public struct ObservationSlot: ~Copyable, Sendable {
    private let retaining = OnceReference<ControllerCore>()
    private let nonRetaining = OnceReference<ControllerCore>()

    /// Makes a slot without controllers.
    ///
    /// Nothing is allocated.
    public init() {}

    deinit {
        _ = retaining.with { $0.invalidate(for: .observerDeinitialized) }
        _ = nonRetaining.with { $0.invalidate(for: .observerDeinitialized) }
    }

    /// Returns the stored core of an observer's controller, made at the first call.
    ///
    /// All threads get the same core. The program stops with a message if this slot is not stored in `observer` itself.
    func core(of observer: AnyObject, retainsObserved: Bool, isShared: Bool = false) -> ControllerCore {
        retainsObserved ? Self.core(retaining, observer, true, isShared) : Self.core(nonRetaining, observer, false, isShared)
    }

    private static func core(
        _ place: borrowing OnceReference<ControllerCore>, _ observer: AnyObject, _ retainsObserved: Bool, _ isShared: Bool
    ) -> ControllerCore {
        if let core = place.object {
            if core.observerIdentity != ObjectIdentifier(observer) { refuse(type(of: observer)) }
            return core
        }
        if !StoredPlace(of: place.word).isInside(observer) { refuse(type(of: observer)) }
        let made = ControllerCore(observer: observer, retainsObserved: retainsObserved, isShared: isShared)
        let stored = place.store(made)
        if stored === made { made.recordIfAsked() }
        return stored
    }

    private static func refuse(_ type: AnyClass) -> Never {
        Mistake.stop(
            """
            `\(type).observationSlot` is not stored in the object itself. Declare it as a stored property: \
            `let observationSlot = ObservationSlot()`. A computed property, or the slot of another object, cannot be used.
            """)
    }
}
