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
