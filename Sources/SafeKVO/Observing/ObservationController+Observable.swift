public import Observation

/// Objects of Swift's own `@Observable`.
extension ObservationController {
    /// Observes a key path of an object of Swift's own `@Observable`: calls the handler with each change, as the options ask.
    ///
    /// ```swift
    /// observations.observe(model, \.count, options: [.old, .new]) { view, model, change in view.countDidChange(change) }
    /// ```
    ///
    /// Any value that reads such objects will do: a property, a computed one, a nested one. Swift says before a change that something will change,
    /// and says it once; so this differs from what is observed with ``Observed``:
    ///
    /// - It must be called in the isolation of an actor, usually the main actor, where the object belongs; elsewhere it does not compile. What is
    ///   `Sendable` can be observed there with `on:`.
    /// - A change is delivered later: when the next one is about to be made, or when the actor is done with what it is doing, whichever is first.
    ///   By then the property still holds the new value.
    /// - In that isolation, each change is delivered, with its own values. Changes made outside it are delivered as one if they come too fast for a
    ///   hop. One that is made only after the value was read because of its announcement is delivered with the next change: <doc:Pull>.
    /// - What an assignment has just brought into a path is followed when that assignment is delivered, not before.
    /// - `@Observable` leaves out assignments of equal values, where they are `Equatable`.
    /// - In `withBatchedChanges`, changes are delivered as one, later.
    /// - When an object is deallocated that a controller does not retain, its observations end one hop later.
    ///
    /// `.prior` calls come before the change, if it is made in the isolation of the observer.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What is delivered, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: AnyObject & Observable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated any Actor = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.track(
            object, keyPath, registration, removing: removing, isolation: isolation, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Observes a key path of an object of Swift's own `@Observable` as the form that takes changes, and calls the handler with the present value
    /// before this returns, unless `initial` is `false`, then with each new one.
    ///
    /// ```swift
    /// observations.observe(model, \.count) { view, count in view.count = count }
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: AnyObject & Observable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        return core.track(
            object, keyPath, registration, removing: removing, isolation: isolation, make: { HandlerInfo(value: $0, handler) })
    }

    /// Observes a key path of an object of Swift's own `@Observable` that may change on any thread: calls the handler with each change, where it
    /// says.
    ///
    /// ```swift
    /// observations.observe(counter, \.count, options: .old, on: .anyThread { meter, counter, change in meter.show(change) })
    /// ```
    ///
    /// A change is noticed later, on a thread of the library's: two that come fast are delivered as one. With `.prior` among the options, the
    /// registration is refused. See ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as for the form that
    /// is called in the isolation of an actor.
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: AnyObject & Observable & Sendable, Value>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, options: KeyValueObservingOptions = .new,
        removing: sending RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, KeyValueChange<Value>, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.track(
            object, keyPath, registration, removing: removing, isolation: nil, make: { SubjectHandlerInfo(change: $0, handler.function) })
    }

    /// Observes a key path of an object of Swift's own `@Observable` that may change on any thread, as the form that takes changes, and calls the
    /// handler with each value, where it says.
    ///
    /// ```swift
    /// observations.observe(counter, \.count, on: .anyThread { meter, count in meter.write(count) })
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: AnyObject & Observable & Sendable, Value>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, initial: Bool = true,
        removing: sending RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        return core.track(
            object, keyPath, registration, removing: removing, isolation: nil, make: { HandlerInfo(value: $0, handler.function) })
    }
}
