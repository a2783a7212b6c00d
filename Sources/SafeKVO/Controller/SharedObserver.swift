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
