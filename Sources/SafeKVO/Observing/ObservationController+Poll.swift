extension ObservationController {
    /// Reads a value at an interval, and calls a closure with the present value, then with each new one.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1)) { view, size in
    ///     view.size = size
    /// }
    /// ```
    ///
    /// The object may be of any class, and the value is `Equatable`. To poll a value that is not, write a computed property that is, such as
    /// the `ObjectIdentifier` of an object. The first call happens before this function returns, unless `initial` is `false`. After that, the
    /// library reads the value once in each interval. It calls the handler if the value differs from the one that it read before. If a
    /// value changes and changes back between two reads, the handler is not called. There is no change and no old value: a handler that needs
    /// the old value stores the last one in the observer.
    ///
    /// The library reads the value and calls the handler in the isolation of the caller: on the main actor, or on an actor that owns the
    /// object. Code without an isolation cannot call this function. For a `Sendable` object, such code can call the overload with `on:`.
    ///
    /// ## Timers
    ///
    /// Reads are due at multiples of the interval after the registration. A late read does not delay the next ones, and a missed read is
    /// not repeated. Observers of the same key path and object share one timer if their isolation, interval and clock are the same. The
    /// timer stops when its last observer ends. An observer whose comparison is not `.duplicates` gets a timer of its own.
    ///
    /// A new observer that joins a timer does not get earlier changes. Its registration reads the value. If that value is new, the other
    /// observers of the timer are notified.
    ///
    /// If the clock's `sleep` throws although nothing was cancelled, the clock has failed. All observations that wait for this clock end
    /// with the reason ``ObservationEndReason/clockFailed``, and a warning is reported. A later registration starts a new timer.
    ///
    /// ## Lifetime
    ///
    /// The controller retains the object until the observation ends, unless the controller was made with `retainsObserved: false`. If the
    /// object is deallocated, the next read ends the observation. The library stores nothing in an object that is not
    /// ``KeyValueObservable``.
    ///
    /// - Parameters:
    ///   - object: The object to read. If it is `nil`, nothing is registered.
    ///   - keyPath: The key path from the object to the value.
    ///   - interval: The time between two reads. If it is zero or negative, the registration is refused. An interval of more than a century
    ///     becomes one century.
    ///   - clock: The clock that measures the interval.
    ///   - initial: `false` to leave out the present value. Then the handler is called with new values only.
    ///   - removing: The comparison that decides whether a value equals the last value that was read.
    ///   - tag: A tag that tells apart two observations of one key path.
    ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
    ///   - handler: A closure that takes the observer and the value.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @discardableResult
    @_alwaysEmitIntoClient
    public func poll<Object: AnyObject, Value: Equatable, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        initial: Bool = true, removing: RemovingDuplicates<Value> = .duplicates, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing, isolation: isolation, registration,
            make: { HandlerInfo(value: $0, handler) })
    }
}

extension ObservationControllerBase {
    /// Reads a value at an interval, and calls a handler with each new value, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.poll(
    ///     file, \.size, every: .seconds(1),
    ///     on: .anyThread { log, size in log.write(size) })
    /// ```
    ///
    /// The library reads the value on its own threads, so any thread must be able to read it. See ``ObservationHandler`` for
    /// isolations, order and lifetime. Otherwise this overload works like the one without `on:`.
    @discardableResult
    @_alwaysEmitIntoClient
    public func poll<Object: AnyObject & Sendable, Value: Equatable & Sendable, PollClock: Clock>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, every interval: PollClock.Duration,
        clock: PollClock = ContinuousClock(), initial: Bool = true, removing: SharedRemovingDuplicates<Value> = .duplicates,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(handler.place, core, .value(initial), tag, ifAlreadyObserved, fileID, line, onTermination)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing.rule, isolation: nil, registration,
            make: { HandlerInfo(value: $0, handler.function) })
    }
}
