/// An observation without a controller, which lasts until this token is cancelled or released.
///
/// ```swift
/// final class Alarm {
///     private var token: ObservationToken?
///
///     func follow(_ clock: WallClock) {
///         token = clock.observation(of: \.hour) { clock, hour in
///             print(hour)
///         }
///     }
/// }
/// ```
///
/// If an object observes several things, one ``ObservationController`` uses less memory than several tokens. A controller also
/// passes the observer to its handlers, so they need not capture it.
///
/// ## Lifetime
///
/// The token retains the handler until the observation ends. It never retains the observed object, so an object may store a token
/// for its own properties. If the object is deallocated first, the observation ends.
///
/// If the handler captures the object that stores the token, the two retain each other. So capture that object weakly.
///
/// ## Threads
///
/// A token is not `Sendable`. Its release may release what the handler captures, so cancel and release the token in the isolation of those
/// captures. If a token is made on an actor, its handler is released on that actor, when the observation ends or soon after it.
public final class ObservationToken {
    // `init` needs `self` to make the core, so this is a `var`. It never changes after `init`.
    private var core: ControllerCore?

    @usableFromInline
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
    /// After this function returns, no new call of the handler begins, not even in a delivery that is in progress. A call that is
    /// already running on another thread continues. A second cancel does nothing.
    public func cancel() {
        _ = core?.invalidate(for: .removed)
    }
}

@available(*, unavailable, message: "A token releases its handler and what that captures. Release it in the isolation that made it.")
extension ObservationToken: Sendable {}

extension KeyPathObservable {
    /// Calls a closure with each change of a property of this object, until the returned token is cancelled or released.
    ///
    /// ```swift
    /// token = clock.observation(of: \.hour, options: [.old, .new]) {
    ///     clock, change in
    ///     print(change)
    /// }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns. Observers are called in the order in which they
    /// registered. With `.initial` in the options, the handler is also called once before this function returns. If code on an actor calls
    /// `observation`, the handler runs on that actor only. A change that is made outside the actor is not delivered; the library counts and
    /// reports it. To get such changes, observe values of an ``AtomicObserved`` property, or pass `on:`.
    ///
    /// The token does not retain the object. The function is not called `observe`, because `NSObject` has a method with that name.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional calls (`.initial`, `.prior`).
    ///   - removing: `.duplicates` to skip a change whose old value and new value are equal.
    ///   - handler: A closure that takes the object and the change.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A token that ends the observation when it is cancelled or released.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    public func observation<Value>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions, removing: RemovingDuplicates<Value>? = nil,
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

    /// Calls a closure with the present value of a property of this object, then with each new one.
    ///
    /// ```swift
    /// token = clock.observation(of: \.hour) { clock, hour in print(hour) }
    /// ```
    ///
    /// The first call happens before this function returns, unless `initial` is `false`. Each later call happens on the thread that changes
    /// the property, before the setter returns. If code on an actor calls `observation`, the handler runs on that actor only: after a
    /// change of an atomic property outside the actor, later and on the actor. A value is never delivered after a newer one. The calls end when the
    /// token is cancelled or released. The token does not retain the object.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - initial: `false` to leave out the present value. Then the handler is called with new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - handler: A closure that takes the object and the value.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A token that ends the observation when it is cancelled or released.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    public func observation<Value>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ object: Self, _ value: Value) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        // The token does not retain the object.
        let object = Unretained(self)
        // SAFETY: whoever delivers a value keeps the observed object alive during the call, as for a handler that takes a change.
        let function: (ObservationToken, Value) -> Void = { _, value in unsafe object.with { handler($0, value) } }
        return ObservationToken {
            $0.observe(
                self, keyPath, initial: initial, removing: removing, isolation: isolation, fileID: fileID, line: line,
                handler: function, onTermination: onTermination)
        }
    }
}

extension KeyPathObservable where Self: Sendable {
    /// Calls a handler with each value of a property of this object, in the isolation that the handler names.
    ///
    /// ```swift
    /// token = download.observation(
    ///     of: \.progress,
    ///     on: .mainActor { download, progress in
    ///         print(download, progress)
    ///     })
    /// ```
    ///
    /// Any thread may change the object. The handler names the isolation in which it is called, here the main actor. The first argument of
    /// the handler is this object. The calls end when the token is cancelled or released. The token does not retain the object. A computed or
    /// nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// See ``ObservationHandler`` for isolations and order. Otherwise this overload works like the one that takes a closure with a value.
    ///
    /// - Returns: A token that ends the observation when it is cancelled or released.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    public func observation<Value>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: SharedRemovingDuplicates<Value>? = nil,
        on handler: ObservationHandler<Self, Value>, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        let (function, filter) = (handler.function, removing?.filter)
        return ObservationToken {
            let registration = Registration(
                handler.place.resolved(for: self), $0.core, .value(initial), nil, .ignore, fileID, line, onTermination, filter
            ).made(in: isolation)
            let request = _ObservationRequest<ObservationToken>($0.core, registration)
            return self._observe(keyPath, request, value: { [weak self] _, value in if let self { function(self, value) } })
        }
    }
}

extension ObservationSource {
    /// Calls a closure with each event of this source, until the returned token is cancelled or released.
    ///
    /// ```swift
    /// token = player.finished.observation { track in print(track) }
    /// token = center.observation(for: .albumDidChange, object: album) { message in
    ///     print(message)
    /// }
    /// ```
    ///
    /// The handler runs on the thread on which the source notifies. Observers are called in the order in which they registered, even if
    /// their topics differ. The token does not retain the source.
    ///
    /// - Parameters:
    ///   - topic: The topic of the wanted events; `nil` for all topics. Most sources have no topics and accept only `nil`.
    ///   - object: The object that the wanted events are about; `nil` for all events. It is not retained.
    ///   - handler: A closure that takes the event.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A token that ends the observation when it is cancelled or released.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
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

extension SharedObservationSource {
    /// Calls a closure with each event of this source, on which any thread may notify, until the returned token is cancelled or released.
    ///
    /// A closure that is isolated to an actor, as one in a class of the main actor is, runs on that actor only. Make the token on that
    /// actor; anywhere else it is ended from the start, with a warning. An event that is sent outside the actor is not delivered; the
    /// library counts and reports it. Any other closure runs on the thread on which the source notifies, so it may capture only what is
    /// `Sendable`. In all else this overload works like the one for other sources.
    ///
    /// - Returns: A token that ends the observation when it is cancelled or released.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    public func observation(
        for topic: Topic = nil, object: Sender = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext handler: @escaping @Sendable @isolated(any) (_ event: Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let function = unsafe unsafeBitCast(handler, to: ((Event) -> Void).self)
        return ObservationToken {
            let registration = Registration(of: handler.isolation, in: isolation, nil, .ignore, fileID, line, onTermination)
            return $0.core.observe(
                self, topic, object, registration,
                make: { HandlerInfo<ObservationToken, Event>(event: $0) { _, event in function(event) } })
        }
    }
}
