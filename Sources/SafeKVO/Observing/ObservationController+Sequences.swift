extension ObservationController {
    /// Returns the changes of a property as an asynchronous sequence.
    ///
    /// ```swift
    /// let changes = observations.changes(of: clock, \.hour, options: [.old, .new])
    /// for await change in changes { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the object, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. See ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, the sequence is empty.
    ///   - keyPath: The key path from the object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional elements (`.initial`, `.prior`).
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func changes<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        .changes(
            of: object, keyPath, options: options, buffering: buffering, fileID, line, in: core)
    }

    /// Returns the values of a property as an asynchronous sequence: the present value, then each new one.
    ///
    /// ```swift
    /// for await hour in observations.values(of: clock, \.hour) { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the object, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. See ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, the sequence is empty.
    ///   - keyPath: The key path from the object to the value.
    ///   - initial: `false` to leave out the present value. Then the sequence contains new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func values<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        .values(
            of: object, keyPath, initial: initial, removing: removing, buffering: buffering,
            fileID, line, in: core)
    }

    /// Returns the events of a source as an asynchronous sequence.
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the source, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. See ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - source: The source to observe. If it is `nil`, the sequence is empty.
    ///   - topic: The topic of the wanted events; `nil` for all topics. Most sources have no topics and accept only `nil`.
    ///   - object: The object that the wanted events are about; `nil` for all events. It is not retained.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func events<Source: ObservationSource>(
        of source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Source.Event> where Source.Event: Sendable {
        SequenceElements.sequence(buffering: buffering) { elements in
            core.observe(
                source, topic, object, elements.registration([], fileID, line),
                make: { HandlerInfo<Observer, Source.Event>(event: $0) { _, event in elements.yield(event) } })
        }
    }
}

extension ObservationController {
    /// Waits for the first value of a property that satisfies a condition.
    ///
    /// ```swift
    /// let hour = try await observations.value(of: clock, \.hour) { $0 > 5 }
    /// ```
    ///
    /// The observation begins with this call and has ended when this function returns. The function tests every value in order,
    /// even if a newer value already exists. The condition is evaluated in the caller's isolation, after the change. By then the
    /// property may have another value.
    ///
    /// ## Lifetime
    ///
    /// This function does not retain the object while it waits, but the controller or the caller may. To end the wait when the object is
    /// deallocated, capture the object weakly in the task.
    ///
    /// The wait also ends when the observer is deallocated. If the controller outlives the observer, the wait ends only at the
    /// next change.
    ///
    /// - Parameters:
    ///   - object: The object to observe. `nil` counts as a deallocated object.
    ///   - keyPath: The key path from the object to the value.
    ///   - initial: `false` to leave out the present value. Then only new values are tested.
    ///   - condition: A closure that returns `true` for the value to return.
    /// - Returns: The first value that satisfies the condition.
    /// - Throws: `CancellationError` if the task is cancelled. ``ObservationEndedError`` if the observation ends before a value
    ///   satisfies the condition: because the observation is removed, or because the object, the observer or the controller is
    ///   deallocated.
    @discardableResult
    public func value<Object: KeyPathObservable, Value: Sendable>(
        of object: consuming Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        where condition: (_ value: Value) -> Bool
    ) async throws -> Value {
        // Without `consume`, this function would retain the object while it waits.
        let values = values(of: consume object, keyPath, initial: initial, fileID: fileID, line: line)
        for await value in values where condition(value) { return value }
        try Task.checkCancellation()
        throw ObservationEndedError(reason: values.endReason ?? .removed)
    }
}

/// An error that says that an observation ended before the expected value arrived.
public struct ObservationEndedError: Error, Hashable, Sendable {
    /// The reason for the end of the observation.
    public let reason: ObservationEndReason

    /// Makes an error with a reason.
    public init(reason: ObservationEndReason) {
        self.reason = reason
    }
}

extension ObservationEndedError: CustomStringConvertible {
    /// A sentence that names the failed function and the reason.
    public var description: String {
        "`value(of:_:where:)` found no value before its observation ended: \(reason). Keep the object, the observer and the controller until then."
    }
}

extension KeyPathObservable {
    /// Returns the changes of a property of this object as an asynchronous sequence.
    ///
    /// ```swift
    /// for await change in clock.changes(of: \.hour, options: [.old, .new]) { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. The sequence does not retain the object, and ends when
    /// the object is deallocated. ``ObservationSequence`` lists the other ways in which it ends.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional elements (`.initial`, `.prior`).
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = .new, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        .changes(of: self, keyPath, options: options, buffering: buffering, fileID, line, in: nil)
    }

    /// Returns the values of a property of this object as an asynchronous sequence: the present value, then each new one.
    ///
    /// ```swift
    /// for await hour in clock.values(of: \.hour) { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. The sequence does not retain the object, and ends when
    /// the object is deallocated. ``ObservationSequence`` lists the other ways in which it ends.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - initial: `false` to leave out the present value. Then the sequence contains new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        .values(
            of: self, keyPath, initial: initial, removing: removing, buffering: buffering,
            fileID, line, in: nil)
    }
}

extension ObservationSequence {
    fileprivate static func changes<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions, buffering: ObservationBuffering,
        _ fileID: StaticString, _ line: UInt, in core: ControllerCore?
    ) -> Self where Element == KeyValueChange<Value> {
        SequenceElements.sequence(buffering: buffering) { elements in
            let registration = elements.registration(options, fileID, line)
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, elements.request(registration, in: core), change: { (_, _: Object, change) in elements.yield(change) })
        }
    }

    fileprivate static func values<Object: KeyPathObservable>(
        of object: Object?, _ keyPath: KeyPath<Object, Element>, initial: Bool, removing: RemovingDuplicates<Element>?,
        buffering: ObservationBuffering, _ fileID: StaticString, _ line: UInt, in core: ControllerCore?
    ) -> Self {
        SequenceElements.sequence(buffering: buffering) { elements in
            let registration = elements.registration(.value(initial), fileID, line, removing?.filter)
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, elements.request(registration, in: core), value: { _, value in elements.yield(value) })
        }
    }
}

extension SequenceElements {
    /// Makes the request with which an asynchronous sequence begins its observation.
    ///
    /// `core` is the inner part of the caller's controller. If it is `nil`, the sequence gets an inner part of its own.
    fileprivate func request(_ registration: consuming Registration, in core: ControllerCore?) -> _ObservationRequest<AnyObject> {
        if let core { return _ObservationRequest(core, registration) }
        let core = ControllerCore(observer: self, retainsObserved: false)
        core.recordIfAsked()
        return _ObservationRequest(core, registration)
    }
}
