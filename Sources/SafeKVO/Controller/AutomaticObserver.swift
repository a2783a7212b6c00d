/// An observer whose controllers the library makes.
///
/// Store an ``ObservationSlot`` in the observer, and register through ``observations``:
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
/// The observer's first use of a controller makes the controller, on any thread. In the observer's `deinit`, the
/// controller refuses every registration. A subclass of the observer uses the same controllers.
public protocol AutomaticObserver: AnyObject {
    /// The storage of the observer's controllers.
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

/// Functions that attach an observer to one list, without a controller of the program.
///
/// Each attached observer gets its own ``ControllerCore``, the untyped part of a controller. The core lives until the
/// observation ends.
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
        // Another thread may have attached the same observer at the same time. The registration that comes first in
        // the list stays, and the other one is undone.
        guard let first = attachment(of: observer), !first.isOwned(by: core) else { return result }
        _ = core.unobserveAll()
        return .alreadyObserved
    }

    func detach(_ observer: AnyObject) -> Bool {
        attachment(of: observer)?.end(for: .removed) ?? false
    }

    /// Returns the observation of an observer in this list, or nil if the observer is not registered there.
    ///
    /// The search passes attached observers that have been deallocated, and ends their observations. Without this, observers that come and
    /// go would accumulate until the next event.
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
                    // A deallocated observer may have had the same address, and thus the same identity. So the objects themselves are
                    // compared, too.
                    return owner.observerIdentity == identity && owner.observer === observer
                }
            } ?? false
        }
    }
}
