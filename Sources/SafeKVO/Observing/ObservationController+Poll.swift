/// Values that do not announce their changes.
extension ObservationController {
    /// Polls a value that does not announce its changes: calls the handler with the present value before this returns, then with each new one.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1)) { view, size in view.size = size }
    /// ```
    ///
    /// Any value of any class will do. It is read once in each interval, and delivered if it differs from the one that was read last; what came
    /// and went in between is not seen. Reading and delivering is done where this is called: on the main actor, or in an actor that polls what it
    /// owns. From code that belongs to no actor it does not compile; what is `Sendable` is polled there with `on:`.
    ///
    /// Reads are due at multiples of the interval from the registration on, however late one of them comes; those that were missed are left out.
    /// There is one timer for all who poll a value of an object in one place at one interval by one clock, and none when nobody does. A later
    /// observer gets no change that came before it: its registration reads the value, and notifies the others.
    ///
    /// A clock that fails ends the observations that wait for it, with the reason ``ObservationEndReason/clockFailed`` and a warning. It has failed
    /// if its `sleep` throws although nobody cancelled it. A later registration starts a new timer.
    ///
    /// Everything else is as for observed properties, but for this: when an object is deallocated that a controller does not retain, the next read
    /// notices. An object keeps nothing for whom polls it, unless it is ``KeyValueObservable``.
    ///
    /// - Parameters:
    ///   - object: What to read. Polling `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one read to the next. It must be longer than zero, or the registration is refused;
    ///     one of more than a century is taken for a century.
    ///   - clock: What time is told by.
    ///   - initial: `false` leaves out the present value: the handler is called with new values only.
    ///   - removing: When a value counts as the one that was read last.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func poll<Object: AnyObject, Value: Equatable, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        initial: Bool = true, removing: RemovingDuplicates<Value> = .duplicates, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing, isolation: isolation, registration,
            make: { HandlerInfo(value: $0, handler) })
    }

    /// Polls a value as the form that takes values, and calls the handler with each change that is found, as the options ask.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1), options: .old, removing: .duplicates) { view, file, change in view.show(change) }
    /// ```
    ///
    /// Here values need not be `Equatable`: `removing` says when one counts as the one before. With `.prior` among the options, the registration
    /// is refused.
    @discardableResult
    public func poll<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, removing: RemovingDuplicates<Value>, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing, isolation: isolation, registration,
            make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Polls a value of an object that any thread may read: calls the handler with each value, where it says.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1), on: .anyThread { log, size in log.write(size) })
    /// ```
    ///
    /// The value is read on threads of the library's. See ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as
    /// for the form that is called in the isolation of an actor.
    @discardableResult
    public func poll<Object: AnyObject & Sendable, Value: Equatable, PollClock: Clock>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, every interval: PollClock.Duration,
        clock: PollClock = ContinuousClock(), initial: Bool = true, removing: sending RemovingDuplicates<Value> = .duplicates,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing, isolation: nil, registration,
            make: { HandlerInfo(value: $0, handler.function) })
    }

    /// Polls a value of an object that any thread may read, as the form that takes values, and calls the handler with each change that is found,
    /// where it says.
    @discardableResult
    public func poll<Object: AnyObject & Sendable, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, every interval: PollClock.Duration,
        clock: PollClock = ContinuousClock(), options: KeyValueObservingOptions = .new, removing: sending RemovingDuplicates<Value>,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, KeyValueChange<Value>, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.poll(
            object, keyPath, every: interval, clock: clock, removing: removing, isolation: nil, registration,
            make: { SubjectHandlerInfo(change: $0, handler.function) })
    }
}
