/// An object that registers handlers for one observer, and removes them when the observer is deallocated.
///
/// Keep the controller in the observer. The program then need not remove any observation:
///
/// ```swift
/// final class ClockView {
///     private lazy var observations = ObservationController(observer: self)
///
///     func show(_ clock: WallClock) {
///         observations.observe(clock, \.date) { view, date in
///             view.date = date
///         }
///     }
/// }
/// ```
///
/// ## Lifetime
///
/// The controller never retains its observer. When the observer is deallocated, its handlers are not called again, and its observations
/// end. The controller retains each observed object until the object is unobserved, unless `retainsObserved` is false. An object that
/// observes itself is never retained. When the controller is deallocated, all its observations end.
///
/// A controller that retains the observed objects can form a retain cycle. So use `retainsObserved: false` if an observer observes its
/// own owner, and for at least one of two objects that observe each other.
///
/// ## Threads
///
/// A controller is never `Sendable`: use it where its observer is used, also inside handlers and in `deinit`. A handler runs on the thread
/// that makes the change, unless it was registered with `on:`. If several threads are to add and remove observations, use a
/// ``SharedObservationController``.
///
/// If an observation was registered in the isolation of an actor, its handler, the handler's captures and the observed object are released
/// in that isolation. This happens when the observation ends, or soon after it.
///
/// The nonisolated `deinit` of a class of the main actor cannot use the controller, and need not: the observations end by themselves.
public final class ObservationController<Observer: AnyObject>: ObservationControllerBase<Observer> {
    /// Makes a controller for an observer.
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

@available(
    *, unavailable,
    message: "A controller stays in the isolation of its observer. For a Sendable observer, use SharedObservationController."
)
extension ObservationController: Sendable {}
