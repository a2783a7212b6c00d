/// Observes for one observer: what it adds is removed when the observer goes.
///
/// Keep the controller in the observer, and forget about removal:
///
/// ```swift
/// final class ClockView {
///     private lazy var observations = ObservationController(observer: self)
///
///     func show(_ clock: WallClock) {
///         observations.observe(clock, \.date) { view, date in view.date = date }
///     }
/// }
/// ```
///
/// ## Lifetime
///
/// The controller never retains its observer; when the observer is gone, no handler runs, and the registrations are dropped. It retains
/// what it observes until that is unobserved, unless `retainsObserved` is false; an object that observes itself is never retained. An
/// observer must therefore not observe its own owner, nor two objects each other, with a retaining controller: use
/// `retainsObserved: false` there. When the controller itself is deallocated, everything it observes is unobserved.
///
/// ## Threads
///
/// Everything here may be called from any thread, also inside handlers and in `deinit`. Handlers run on the thread that makes the change.
/// The controller is `Sendable` if its observer is. What was registered in the isolation of an actor is released there: the handler, its
/// captures and the observed object, at the latest one hop after the observation has ended.
public final class ObservationController<Observer: AnyObject> {
    @usableFromInline package let core: ControllerCore
    private let endsCore: Bool
    /// Where it was made, if the program made it.
    private let position: SourcePosition

    /// Makes a controller for an observer.
    ///
    /// In the observer's `deinit` it is safe too: such a controller refuses everything.
    ///
    /// - Parameters:
    ///   - observer: Whom to call. It is not retained.
    ///   - retainsObserved: Whether observed objects are kept alive until they are unobserved.
    ///   - fileID: Leave it out: it tells diagnostics where the controller was made.
    ///   - line: Leave it out, likewise.
    public convenience init(
        observer: Observer, retainsObserved: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            ControllerCore(observer: observer, retainsObserved: retainsObserved), madeAt: SourcePosition(fileID: fileID, line: line))
    }

    /// Makes a controller that ends its core.
    fileprivate init(_ core: ControllerCore, madeAt position: SourcePosition) {
        core.recordIfAsked()
        self.core = core
        endsCore = true
        self.position = position
    }

    /// Makes a controller around a core that somebody else ends.
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

    /// The observer, or nil when it is gone or going.
    public var observer: Observer? {
        core.observer as? Observer
    }

    /// Whether observed objects are kept alive until they are unobserved.
    public var retainsObserved: Bool { core.retainsObserved }

    /// Removes all observations.
    ///
    /// When it returns, no new call starts, not even to an observer later in a delivery under way.
    ///
    /// - Returns: how many there were.
    /// - Complexity: O(*n*) for *n* observations.
    @discardableResult
    public func unobserveAll() -> Int {
        core.unobserveAll()
    }

    /// Removes all observations, for good: what is added later is refused, and the result says so.
    ///
    /// - Returns: how many there were.
    /// - Complexity: O(*n*) for *n* observations.
    @discardableResult
    public func invalidate() -> Int {
        core.invalidate(for: .controllerInvalidated)
    }

    /// A Boolean value that indicates whether the controller is paused.
    public var isPaused: Bool { core.isPaused }

    /// Pauses all observations: no handler is called until ``resume()``.
    ///
    /// When it returns, no new call starts, not even to an observer later in a delivery under way, and not for a change that is on its way to another
    /// isolation. Only a change of which the observer was told before it was made, with ``KeyValueObservingOptions/prior``, is told after it, too. Observations
    /// stay registered: they are added, removed and ended as ever, and ends are reported. Pausing again does nothing. See <doc:Pausing>.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public func pause() {
        core.pause()
    }

    /// Resumes what ``pause()`` has paused.
    ///
    /// A form that takes values is handed the present value before this returns, if any change of it was left out: by the number of changes, not by comparing
    /// values. A handler that belongs to another isolation gets it there, later. Every other form is told of the changes from now on. Resuming what is not
    /// paused does nothing. See <doc:Pausing>.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public func resume() {
        core.resume()
    }

    /// What became of callbacks and requests so far.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public var counters: ObservationCounters { core.counters }
}

extension ObservationController where Observer: Sendable {
    /// Makes a controller for an observer that threads may share.
    ///
    /// The controller is `Sendable`, too, and may be used on any thread. What is registered in the isolation of an actor is released there: the
    /// handler, its captures and the observed object, at the latest one hop after the observation has ended.
    ///
    /// - Parameters:
    ///   - observer: Whom to call. It is not retained.
    ///   - retainsObserved: Whether observed objects are kept alive until they are unobserved.
    ///   - fileID: Leave it out: it tells diagnostics where the controller was made.
    ///   - line: Leave it out, likewise.
    @_documentation(visibility: internal)
    public convenience init(
        observer: Observer, retainsObserved: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            ControllerCore(observer: observer, retainsObserved: retainsObserved, isShared: true),
            madeAt: SourcePosition(fileID: fileID, line: line))
    }
}

// SAFETY: all state is in the core, which guards itself. Handlers are not `Sendable`, but only run where the subject changes: a controller
// of an observer that is not `Sendable` stays with it, and the compiler then keeps the subjects there too.
extension ObservationController: @unchecked Sendable where Observer: Sendable {}
