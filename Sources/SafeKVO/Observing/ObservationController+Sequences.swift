extension ObservationController {
    /// Returns the changes of a property as an asynchronous sequence.
    ///
    /// ```swift
    /// let changes = observations.changes(of: clock, \.hour, options: [.old, .new])
    /// for await change in changes { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the object, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. The sequence stays in the isolation of the caller. See
    /// ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, the sequence is empty.
    ///   - keyPath: The key path from the object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional elements (`.initial`, `.prior`).
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func changes<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        ObservationSequence(
            .changes(of: object, keyPath, options: options, buffering: buffering, .isolation(isolation), fileID, line, in: core))
    }

    /// Returns the values of a property as an asynchronous sequence: the present value, then each new one.
    ///
    /// ```swift
    /// for await hour in observations.values(of: clock, \.hour) { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the object, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. The sequence stays in the isolation of the caller. See
    /// ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, the sequence is empty.
    ///   - keyPath: The key path from the object to the value.
    ///   - initial: `false` to leave out the present value. Then the sequence contains new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func values<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ObservationSequence<Value> {
        ObservationSequence(
            .values(
                of: object, keyPath, initial: initial, filter: removing?.filter, buffering: buffering, .isolation(isolation), fileID, line,
                in: core))
    }

    /// Returns the events of a source as an asynchronous sequence.
    ///
    /// The observation begins with this call, even before a task reads the sequence. It ends when the source, the observer or the
    /// controller is deallocated, or when the reading task is cancelled. The sequence stays in the isolation of the caller. See
    /// ``ObservationSequence``.
    ///
    /// - Parameters:
    ///   - source: The source to observe. If it is `nil`, the sequence is empty.
    ///   - topic: The topic of the wanted events; `nil` for all topics. Most sources have no topics and accept only `nil`.
    ///   - object: The object that the wanted events are about; `nil` for all events. It is not retained.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func events<Source: ObservationSource>(
        of source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, buffering: ObservationBuffering = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Source.Event> where Source.Event: Sendable {
        ObservationSequence(.events(of: source, topic, object, buffering: buffering, .isolation(isolation), fileID, line, in: core))
    }
}

extension SharedObservationController {
    /// Returns the changes of a property as an asynchronous sequence that may be sent to another task.
    ///
    /// A computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// Otherwise this function works like
    /// ``ObservationController/changes(of:_:options:buffering:isolation:fileID:line:)``.
    public func changes<Object: KeyPathObservable & Sendable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> SharedObservationSequence<KeyValueChange<Value>> {
        .changes(of: object, keyPath, options: options, buffering: buffering, .anywhere(from: isolation), fileID, line, in: core)
    }

    /// Returns the values of a property as an asynchronous sequence that may be sent to another task: the present value, then each new one.
    ///
    /// A computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// Otherwise this function works like the one of an ``ObservationController``.
    public func values<Object: KeyPathObservable & Sendable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: SharedRemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> SharedObservationSequence<Value> {
        .values(
            of: object, keyPath, initial: initial, filter: removing?.filter, buffering: buffering, .anywhere(from: isolation), fileID, line,
            in: core)
    }

    /// Returns the events of a source as an asynchronous sequence that may be sent to another task.
    ///
    /// Otherwise this function works like
    /// ``ObservationController/events(of:for:object:buffering:isolation:fileID:line:)``.
    public func events<Source: ObservationSource & Sendable>(
        of source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> SharedObservationSequence<Source.Event> where Source.Event: Sendable {
        .events(of: source, topic, object, buffering: buffering, .anywhere(from: nil), fileID, line, in: core)
    }
}

extension ObservationController {
    /// Waits for the first value of a property that satisfies a condition.
    ///
    /// ```swift
    /// let hour = try await observations.value(of: clock, \.hour) { $0 > 5 }
    /// ```
    ///
    /// The observation begins with this call and has ended when this function returns. The function tests every value that
    /// is delivered, in order, even if a newer value already exists. The condition is evaluated in the caller's isolation, after the
    /// change. By then the property may have another value.
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
        let values = values(of: consume object, keyPath, initial: initial, isolation: isolation, fileID: fileID, line: line)
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
    @_alwaysEmitIntoClient
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
    /// the object is deallocated. It stays in the isolation of the caller. ``ObservationSequence`` lists the other ways in which it ends.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional elements (`.initial`, `.prior`).
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = .new, buffering: ObservationBuffering = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        ObservationSequence(
            .changes(of: self, keyPath, options: options, buffering: buffering, .isolation(isolation), fileID, line, in: nil))
    }

    /// Returns the values of a property of this object as an asynchronous sequence: the present value, then each new one.
    ///
    /// ```swift
    /// for await hour in clock.values(of: \.hour) { … }
    /// ```
    ///
    /// The observation begins with this call, even before a task reads the sequence. The sequence does not retain the object, and ends when
    /// the object is deallocated. It stays in the isolation of the caller. ``ObservationSequence`` lists the other ways in which it ends.
    ///
    /// - Parameters:
    ///   - keyPath: The key path from this object to the value.
    ///   - initial: `false` to leave out the present value. Then the sequence contains new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - buffering: The policy for elements that arrive faster than the task reads them. By default, all are kept.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ObservationSequence<Value> {
        ObservationSequence(
            .values(
                of: self, keyPath, initial: initial, filter: removing?.filter, buffering: buffering, .isolation(isolation), fileID, line,
                in: nil))
    }
}

extension KeyPathObservable where Self: Sendable {
    /// Returns the changes of a property of this object as an asynchronous sequence that may be sent to another task.
    ///
    /// A computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// Otherwise this function works like ``KeyPathObservable/changes(of:options:buffering:isolation:fileID:line:)``.
    public func sharedChanges<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = .new, buffering: ObservationBuffering = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> SharedObservationSequence<KeyValueChange<Value>> {
        .changes(of: self, keyPath, options: options, buffering: buffering, .anywhere(from: isolation), fileID, line, in: nil)
    }

    /// Returns the values of a property of this object as an asynchronous sequence that may be sent to another task.
    ///
    /// ```swift
    /// let values = download.sharedValues(of: \.progress)
    /// Task.detached { for await progress in values { … } }
    /// ```
    ///
    /// A computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// Otherwise this function works like ``KeyPathObservable/values(of:initial:removing:buffering:isolation:fileID:line:)``.
    public func sharedValues<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: SharedRemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> SharedObservationSequence<Value> {
        .values(
            of: self, keyPath, initial: initial, filter: removing?.filter, buffering: buffering, .anywhere(from: isolation), fileID, line,
            in: nil)
    }
}

extension SharedObservationSequence {
    fileprivate static func changes<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions, buffering: ObservationBuffering,
        _ home: SequenceHome, _ fileID: StaticString, _ line: UInt, in core: ControllerCore?
    ) -> Self where Element == KeyValueChange<Value> {
        SequenceSource.sequence(buffering: buffering) { source in
            let registration = source.registration(options, home, fileID, line)
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, source.request(registration, in: core),
                change: { [elements = source.elements] (_, _: Object, change) in elements.yield(change) })
        }
    }

    fileprivate static func values<Object: KeyPathObservable>(
        of object: Object?, _ keyPath: KeyPath<Object, Element>, initial: Bool, filter: AnyObject?, buffering: ObservationBuffering,
        _ home: SequenceHome, _ fileID: StaticString, _ line: UInt, in core: ControllerCore?
    ) -> Self {
        SequenceSource.sequence(buffering: buffering) { source in
            let registration = source.registration(.value(initial), home, fileID, line, filter)
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, source.request(registration, in: core), value: { [elements = source.elements] _, value in elements.yield(value) })
        }
    }

    fileprivate static func events<Source: ObservationSource<Element>>(
        of source: Source?, _ topic: Source.Topic, _ sender: Source.Sender, buffering: ObservationBuffering, _ home: SequenceHome,
        _ fileID: StaticString, _ line: UInt, in core: ControllerCore
    ) -> Self {
        SequenceSource.sequence(buffering: buffering) { sequence in
            core.observe(
                source, topic, sender, sequence.registration([], home, fileID, line),
                make: { [elements = sequence.elements] in
                    HandlerInfo<AnyObject, Element>(event: $0) { _, event in elements.yield(event) }
                })
        }
    }
}

extension SequenceSource {
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
