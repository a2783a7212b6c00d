/// What an ``ObservationController`` and a ``SharedObservationController`` have in common.
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
    /// nothing. See <doc:Pausing>.
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
    /// Every other handler is called only for later changes. Resuming a controller that is not paused does nothing. See <doc:Pausing>.
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
