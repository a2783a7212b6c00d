/// A controller that several threads may use.
///
/// Its observer is `Sendable`: an actor, an object of a global actor, or an object of a class that guards its own state. Each handler names
/// the isolation in which it is called:
///
/// ```swift
/// let observations = SharedObservationController(observer: log)
/// observations.observe(
///     download, \.progress, on: .anyThread { log, progress in log.write(progress) })
/// ```
///
/// A `Sendable` class keeps its controller in a slot, because Swift allows it neither a constant that needs `self` nor a `lazy` property.
/// ``SharedObserver`` describes the slot.
///
/// Otherwise a shared controller works like an ``ObservationController``: it does not retain its observer, and its observations end when it
/// is deallocated.
///
/// ## Threads
///
/// All members may be used on any thread, at the same time, also inside handlers and in `deinit`.
public final class SharedObservationController<Observer: AnyObject & Sendable>: ObservationControllerBase<Observer>, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the base class has constants only, and `core` guards its own state. Handlers without `on:`, which need
    // not be `Sendable`, cannot be registered here.

    /// Makes a controller for a `Sendable` observer.
    ///
    /// A controller that is made in the observer's `deinit` refuses every registration.
    ///
    /// - Parameters:
    ///   - observer: The object for which the handlers are called. The controller does not retain it.
    ///   - retainsObserved: `true` if the controller retains each observed object until the object is unobserved.
    public convenience init(observer: Observer, retainsObserved: Bool = true, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(of: observer, retainsObserved: retainsObserved, madeAt: SourcePosition(fileID: fileID, line: line))
    }
}
