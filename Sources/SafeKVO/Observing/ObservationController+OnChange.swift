public import Observation

/// The value before a change, and the one after it.
extension ObservationController {
    /// Observes a key path: calls the handler with the value before each change and the value after it.
    ///
    /// ```swift
    /// observations.onChange(of: clock, \.hour) { view, old, new in view.turn(by: new - old) }
    /// ```
    ///
    /// Neither value is an optional, unless the property is: the old value is the one that was handed over last, and at first the value at the time of
    /// the registration. So the pairs of one observation follow each other without a gap, whatever was left out in between, and collections are
    /// handed over whole. The present value is read during the registration, which counts as a delivery; the handler is not called with it.
    ///
    /// The handler runs on the thread that makes the change, before the setter returns. As in the form that takes values, no value is handed over after a
    /// newer one. The observation keeps the value that was handed over last.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out a change to a value that equals the old one.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the old value and the new value.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func onChange<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        observe(
            object, keyPath, removing: removing, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation, fileID: fileID,
            line: line, handler: PreviousValue.handler(calling: handler), onTermination: onTermination)
    }

    /// Observes a key path of an object that may change on any thread: calls the handler with the value before each change and the value after it,
    /// where it says.
    ///
    /// ```swift
    /// observations.onChange(of: download, \.progress, on: .mainActor { bar, old, new in bar.animate(from: old, to: new) })
    /// ```
    ///
    /// A method takes nothing, the new value, or the new value and the old one, in that order. See ``ObservationHandler`` for the places, the order and the
    /// lifetimes. Everything else is as for the form with a closure.
    @discardableResult
    public func onChange<Object: KeyPathObservable & Sendable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: sending RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Value, Value, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        observe(
            object, keyPath, removing: removing, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            on: ObservationHandler(handler.place, PreviousValue.handler(calling: handler.function)), fileID: fileID, line: line,
            onTermination: onTermination)
    }

    /// Observes a key path of an object of Swift's own `@Observable`: calls the handler with the value before each change and the value after it.
    ///
    /// ```swift
    /// observations.onChange(of: model, \.count) { view, old, new in view.count(from: old, to: new) }
    /// ```
    ///
    /// Changes are delivered as to the form of `observe` that takes values of such objects: later, in the isolation in which this is called.
    @_disfavoredOverload
    @discardableResult
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

/// The observer is an actor, and what it observes changes inside it.
extension ObservationController where Observer: Actor {
    /// Observes a key path of an object that the observing actor owns: calls the handler inside the actor with the value before each change and the value
    /// after it.
    ///
    /// ```swift
    /// observations.onChange(of: tank, \.level) { plant, old, new in plant.note(new - old) }
    /// ```
    ///
    /// The handler gets the actor `isolated`, and captures nothing. Everything else is as for the form of `observe` that takes values.
    @discardableResult
    public func onChange<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ old: Value, _ new: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: observer,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true,
            filter: DuplicateFilter.filter(removing))
        // SAFETY: the broker calls the handler only if the observer's code is running.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value, Value) -> Void).self)
        return observe(object, keyPath, request, valueHandler: PreviousValue.handler(calling: handler))
    }
}

/// The value that was handed over last, of one observation.
///
/// It needs no lock: a handler that takes values is never called by two threads at once, and a call by another thread sees what the one before it wrote.
@usableFromInline
final class PreviousValue<Value> {
    @usableFromInline var value: Value?

    @inlinable
    init() {}

    /// Makes a handler of values that calls one of pairs, from the second value on.
    @inlinable
    static func handler<Observer>(
        calling handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void
    ) -> (_ observer: Observer, _ value: Value) -> Void {
        let previous = PreviousValue()
        return { observer, new in
            // Replaced before the call: the handler may make a change, whose old value this is.
            if let old = previous.replace(by: new) { handler(observer, old, new) }
        }
    }

    /// Keeps a value instead of the one before, which is returned; nil if there was none.
    @inlinable
    func replace(by new: Value) -> Value? {
        let old = value
        value = new
        return old
    }
}
