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
/// that makes the change, unless it was registered with `on:`. If it was registered on an actor, it runs only there, also after a change
/// elsewhere: <doc:ThreadsAndIsolation>. If several threads are to add and remove observations, use a ``SharedObservationController``.
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

/// The common class of ``ObservationController`` and ``SharedObservationController``.
///
/// The handlers that are registered here name the isolation in which they are called, with `on:`. Only the two subclasses have initializers.
public class ObservationControllerBase<Observer: AnyObject> {
    @usableFromInline package final let core: ControllerCore
    private final let position: SourcePosition
    private final let endsCore: Bool

    /// Makes a controller that ends its observations when it is deallocated.
    init(of observer: Observer, retainsObserved: Bool, madeAt position: SourcePosition) {
        core = ControllerCore(observer: observer, retainsObserved: retainsObserved)
        core.recordIfAsked()
        endsCore = true
        self.position = position
    }

    /// Makes a controller for a core that another object owns and invalidates.
    init(core: ControllerCore) {
        self.core = core
        endsCore = false
        position = .unknown
    }

    deinit {
        guard endsCore else { return }
        core.warnIfUnkept(madeAt: position)
        _ = core.invalidate(for: core.isObserverGone ? .observerDeinitialized : .controllerInvalidated)
    }

    /// The observer, or nil if it is deallocated or in its `deinit`.
    public final var observer: Observer? {
        core.observer as? Observer
    }

    /// `true` if the controller retains each observed object until the object is unobserved.
    public final var retainsObserved: Bool { core.retainsObserved }

    /// Removes all observations.
    ///
    /// After this function has returned, no call of a handler starts. This also holds for observers that a delivery in progress has not
    /// called yet.
    ///
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*n*) for *n* observations.
    @discardableResult
    public final func unobserveAll() -> Int {
        core.unobserveAll()
    }

    /// Removes all observations, and refuses every later registration.
    ///
    /// The result of each later registration is ``ObservationResult/refused(_:)``.
    ///
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*n*) for *n* observations.
    @discardableResult
    public final func invalidate() -> Int {
        core.invalidate(for: .controllerInvalidated)
    }

    /// A Boolean value that indicates whether the controller is paused.
    public final var isPaused: Bool { core.isPaused }

    /// Pauses all observations: no handler is called until ``resume()``.
    ///
    /// After this function has returned, no call of a handler starts. This also holds for observers that a delivery in progress has not
    /// called yet, and for a change on its way to another isolation. There is one exception: an observer that was called before a change,
    /// because of ``KeyValueObservingOptions/prior``, is also called after that change.
    ///
    /// Observations can be added and removed during a pause, and the end of an observation is reported. Pausing a paused controller does
    /// nothing. See <doc:Receiving>.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public final func pause() {
        core.pause()
    }

    /// Resumes the observations that ``pause()`` has paused.
    ///
    /// If a value was set during the pause, a handler that takes values gets the present value before this function returns. This also
    /// happens if the present value is the same as before the pause. A handler that belongs to another isolation gets the value there,
    /// later.
    ///
    /// Every other handler is called only for later changes. Resuming a controller that is not paused does nothing. See <doc:Receiving>.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public final func resume() {
        core.resume()
    }

    /// The controller's counters of handler calls, dropped deliveries and ignored requests.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public final var counters: ObservationCounters { core.counters }
}
