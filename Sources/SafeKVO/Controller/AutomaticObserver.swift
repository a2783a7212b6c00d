/// An observer that has its controllers without declaring or making them.
///
/// ```swift
/// final class ClockView: AutomaticObserver {
///     let observationSlot = ObservationSlot()
///
///     func show(_ clock: WallClock) {
///         observations.observe(clock, \.date) { view, date in view.date = date }
///     }
/// }
/// ```
///
/// The controllers are made when they are first used, from whatever thread, and also in `deinit`, where they refuse everything. A subclass
/// shares those of its superclass.
public protocol AutomaticObserver: AnyObject {
    /// Where the controllers are kept.
    ///
    /// It is a stored property, `let observationSlot = ObservationSlot()`. Using a slot that is computed, or another object's, ends the program
    /// with a message.
    var observationSlot: ObservationSlot { get }
}

extension AutomaticObserver {
    /// The controller of this observer.
    ///
    /// It retains what it observes.
    public var observations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: true))
    }

    /// The controller of this observer that does not retain what it observes.
    public var nonRetainingObservations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: false))
    }
}

extension AutomaticObserver where Self: Sendable {
    /// The controller of this observer, which threads may share.
    ///
    /// It retains what it observes.
    @_documentation(visibility: internal)
    public var observations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: true, isShared: true))
    }

    /// The controller of this observer that does not retain what it observes, which threads may share.
    @_documentation(visibility: internal)
    public var nonRetainingObservations: ObservationController<Self> {
        ObservationController(core: observationSlot.core(of: self, retainsObserved: false, isShared: true))
    }
}

/// Observers that bring no controller: each has a core of its own, which lives as long as the observation.
extension ObserverList {
    /// Registers an observer, unless it is attached already.
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
        // Another thread may have attached the same observer meanwhile: the first one stays.
        guard let first = attachment(of: observer), !first.isOwned(by: core) else { return result }
        _ = core.unobserveAll()
        return .alreadyObserved
    }

    /// Removes an observer.
    ///
    /// - Returns: whether it was attached.
    func detach(_ observer: AnyObject) -> Bool {
        attachment(of: observer)?.end(for: .removed) ?? false
    }

    /// The observation of an attached observer.
    private func attachment(of observer: AnyObject) -> ObservationInfo? {
        let identity = ObjectIdentifier(observer)
        return firstInfo { info in
            info.ifKept {
                info.withOwner { owner in
                    // An observer of that address may have been there before.
                    owner.isOfAttachment && owner.observerIdentity == identity && !info.isOver && owner.observer === observer
                }
            } ?? false
        }
    }
}
