public import Observation

extension ObservationController {
    /// Calls a closure with the previous value and the new value of a property after a change.
    ///
    /// ```swift
    /// observations.onChange(of: clock, \.hour) { view, old, new in
    ///     view.turn(by: new - old)
    /// }
    /// ```
    ///
    /// Both values have the type of the property; neither is wrapped in an optional. The old value is the new value of the previous call,
    /// even if changes were skipped in between. At the first call, it is the value that the property had at the registration. If a
    /// collection changes, both values are whole collections.
    ///
    /// The registration reads the present value, which counts as a delivery, but does not call the handler. The handler runs on the thread
    /// that makes the change, before the setter returns. If it was registered on an actor, it runs there only: after a change of an atomic
    /// property outside the actor, later and on the actor, as the overload of `observe` says that takes a value.
    ///
    /// A value is never delivered after a newer one. If handlers or several threads make changes at the same time, a newer value may be
    /// delivered first, and the older change is skipped. To get every change, use `observe` with `options: [.old, .new]`.
    ///
    /// The observation retains the value that was last delivered.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, nothing is registered.
    ///   - keyPath: The key path from the object to the value.
    ///   - removing: `.duplicates` to skip a change to a value that equals the old value.
    ///   - tag: A tag that tells apart two observations of one key path.
    ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
    ///   - handler: A closure that takes the observer, the old value and the new value.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    @discardableResult
    public func onChange<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        observe(
            object, keyPath, removing: removing, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation, fileID: fileID,
            line: line, handler: PreviousValue.handler(calling: handler), onTermination: onTermination)
    }

    /// Calls a closure with the previous value and the new value of an `@Observable` object's property after a change.
    ///
    /// ```swift
    /// observations.onChange(of: model, \.count) { view, old, new in
    ///     view.count(from: old, to: new)
    /// }
    /// ```
    ///
    /// The handler is called some time after the change, in the isolation in which this function is called. The overloads of
    /// `observe` for `@Observable` objects say more about this delay.
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func onChange<Object: AnyObject & Observable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        observe(
            object, keyPath, removing: removing, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation, fileID: fileID,
            line: line, handler: PreviousValue.handler(calling: handler), onTermination: onTermination)
    }
}

extension ObservationControllerBase {
    /// Calls a handler with the previous value and the new value after a change, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.onChange(
    ///     of: download, \.progress,
    ///     on: .mainActor { bar, old, new in bar.animate(from: old, to: new) })
    /// ```
    ///
    /// Any thread may change the object. A computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// Instead of a closure, the handler can be a method of the observer. The method takes no arguments, or the new value, or the new value
    /// followed by the old value.
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a
    /// closure.
    @discardableResult
    @_alwaysEmitIntoClient
    public func onChange<Object: KeyPathObservable & Sendable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: SharedRemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Value, Value, Value>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        observe(
            object, keyPath, removing: removing, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            on: ObservationHandler(handler.place, PreviousValue.handler(calling: handler.function)), isolation: isolation, fileID: fileID,
            line: line, onTermination: onTermination)
    }
}

extension ObservationController where Observer: Actor {
    /// Calls a closure inside the observing actor with the previous value and the new value after a change.
    ///
    /// ```swift
    /// observations.onChange(of: tank, \.level) { plant, old, new in
    ///     plant.note(new - old)
    /// }
    /// ```
    ///
    /// The handler gets the actor as an `isolated` parameter and need not capture it.
    ///
    /// Call this function in a method of the actor, or in a function that takes the actor as an `isolated` parameter. Otherwise the
    /// registration is refused. In all else this overload works like the one for observers that are not actors.
    @discardableResult
    @_alwaysEmitIntoClient
    public func onChange<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ old: Value, _ new: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .closure, .value(true), tag, ifAlreadyObserved, of: core, isolation, fileID, line, onTermination, removing?.filter)
        // SAFETY: The cast drops only `@Sendable` and `isolated`, and the library calls the closure on the observing actor.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value, Value) -> Void).self)
        return observe(object, keyPath, registration, valueHandler: PreviousValue.handler(calling: handler))
    }
}

/// A box for the value that one observation delivered last.
///
/// No lock is needed, because the library calls the observation's handler on one thread at a time.
@usableFromInline
final class PreviousValue<Value> {
    @usableFromInline var value: Value?

    @_alwaysEmitIntoClient
    init() {}

    @_alwaysEmitIntoClient
    static func handler<Observer>(
        calling handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void
    ) -> (_ observer: Observer, _ value: Value) -> Void {
        let previous = PreviousValue()
        return { observer, new in
            // Store `new` before the call: if the handler changes the property, `new` is the old value of that change.
            if let old = previous.replace(by: new) { handler(observer, old, new) }
        }
    }

    @_alwaysEmitIntoClient
    func replace(by new: Value) -> Value? {
        let old = value
        value = new
        return old
    }
}
