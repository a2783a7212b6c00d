/// An observation that needs no controller: it lasts until the token is released or cancelled.
///
/// ```swift
/// final class Alarm {
///     private var token: ObservationToken?
///
///     func follow(_ clock: WallClock) {
///         token = clock.observation(of: \.hour) { clock, change in print(change.newValue ?? 0) }
///     }
/// }
/// ```
///
/// A token is an observer with a controller of its own. For an object that observes several things, an ``ObservationController`` does the same with less
/// memory, and its handlers are handed the observer.
///
/// ## Lifetime
///
/// The token retains the handler until it ends. It never retains the observed object, so that an object may keep the token of an observation of itself. When
/// the object is deallocated first, the observation ends. A handler must not capture the object that keeps the token, which would then never be released:
/// capture it weakly.
///
/// ## Threads
///
/// A token may be cancelled and released wherever what its handler captures may be. It is not `Sendable`. A token that was made in the isolation of an actor
/// releases its handler there, at the latest one hop after it has ended.
public final class ObservationToken {
    // Written once, by `init`.
    private var core: ControllerCore?

    /// Makes a token of what a controller observes.
    ///
    /// - Parameter register: Registers with a controller that belongs to the token.
    package init(_ register: (ObservationController<ObservationToken>) -> ObservationResult) {
        let core = ControllerCore(observer: self, retainsObserved: false)
        core.recordIfAsked()
        self.core = core
        _ = register(ObservationController(core: core))
    }

    deinit {
        _ = core?.invalidate(for: .observerDeinitialized)
    }

    /// Ends the observation.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. A call that is running elsewhere ends by itself. Cancelling again does nothing.
    public func cancel() {
        _ = core?.invalidate(for: .removed)
    }
}

@available(*, unavailable, message: "A token releases its handler and what that captures. Release it in the isolation that made it.")
extension ObservationToken: Sendable {}

extension KeyPathObservable {
    /// Observes a key path of this object without a controller: calls the handler with each change, as the options ask.
    ///
    /// ```swift
    /// token = clock.observation(of: \.hour, options: [.old, .new]) { clock, change in print(change) }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. The name is not
    /// `observe`, because that of a class which is an `NSObject` as well is Foundation's.
    ///
    /// - Parameters:
    ///   - keyPath: Which of its values.
    ///   - options: What is delivered, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the object and the change.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: the token, which ends the observation when it is cancelled or released.
    /// - Complexity: O(1), however many others observe.
    public func observation<Value>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = .new, removing: RemovingDuplicates<Value>? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ object: Self, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        ObservationToken {
            $0.observe(
                self, keyPath, options: options, removing: removing, isolation: isolation, fileID: fileID, line: line,
                handler: { _, object, change in handler(object, change) }, onTermination: onTermination)
        }
    }

    /// Observes a key path of this object without a controller: calls the handler with the present value before this returns, then with each new one.
    ///
    /// ```swift
    /// token = clock.observation(of: \.hour) { hour in print(hour) }
    /// ```
    ///
    /// As in every form that takes values, no value is handed over after a newer one.
    ///
    /// - Parameters:
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: the handler is called with new values only.
    ///   - removing: `.duplicates` leaves out a value that equals the one that was handed over last.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the value.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: the token, which ends the observation when it is cancelled or released.
    /// - Complexity: O(1), however many others observe.
    public func observation<Value>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ value: Value) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        ObservationToken {
            $0.observe(
                self, keyPath, initial: initial, removing: removing, isolation: isolation, fileID: fileID, line: line,
                handler: { _, value in handler(value) }, onTermination: onTermination)
        }
    }
}

extension ObservationSource {
    /// Observes this source without a controller: calls the handler with each event.
    ///
    /// ```swift
    /// token = player.finished.observation { track in print(track) }
    /// token = center.observation(for: .albumDidChange, object: album) { message in print(message) }
    /// ```
    ///
    /// The handler runs on the thread on which the source notifies, in the order in which observers registered, whatever they ask for.
    ///
    /// - Parameters:
    ///   - topic: Which events; nil for all of them. Most sources have no topics, and take nil only.
    ///   - object: The object that the events must be about; nil for any and none. It is not retained.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each event.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: the token, which ends the observation when it is cancelled or released.
    /// - Complexity: O(1), however many others observe.
    public func observation(
        for topic: Topic = nil, object: Sender = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, handler: @escaping (_ event: Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        ObservationToken {
            $0.observe(
                self, for: topic, object: object, isolation: isolation, fileID: fileID, line: line,
                handler: { _, event in handler(event) }, onTermination: onTermination)
        }
    }
}
