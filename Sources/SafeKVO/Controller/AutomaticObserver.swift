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
