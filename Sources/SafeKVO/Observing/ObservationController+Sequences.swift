/// Changes and values as asynchronous sequences.
extension ObservationController {
    /// The changes of a key path, as a sequence.
    ///
    /// ```swift
    /// for await change in observations.changes(of: clock, \.hour, options: [.old, .new]) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the changes yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - object: What to observe. The changes of `nil` are none.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - buffering: What becomes of changes that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func changes<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        .changes(
            of: object, keyPath, options: options, buffering: buffering, position: SourcePosition(fileID: fileID, line: line), in: core)
    }

    /// The values of a key path, as a sequence: the present one, then each new one.
    ///
    /// ```swift
    /// for await hour in observations.values(of: clock, \.hour) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the values yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - object: What to observe. The values of `nil` are none.
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: the sequence has new values only.
    ///   - removing: `.duplicates` leaves out values that equal the one before.
    ///   - buffering: What becomes of values that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func values<Object: KeyPathObservable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        .values(
            of: object, keyPath, initial: initial, removing: removing, buffering: buffering,
            position: SourcePosition(fileID: fileID, line: line), in: core)
    }

    /// The events of a source, as a sequence.
    ///
    /// It observes from this call on, whether or not anybody takes the events yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - source: What to observe. The events of `nil` are none.
    ///   - topic: Which events; nil for all of them.
    ///   - object: The object that the events must be about; nil for any and none. It is not retained.
    ///   - buffering: What becomes of events that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func events<Source: ObservationSource>(
        of source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Source.Event> where Source.Event: Sendable {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [], position: SourcePosition(fileID: fileID, line: line), onTermination: { elements.finish() })
            return core.observe(
                source, topic, object, registration,
                make: { HandlerInfo<Observer, Source.Event>(event: $0) { _, event in elements.yield(event) } })
        }
    }
}

/// One value that is waited for.
extension ObservationController {
    /// Waits for the first value of a key path that satisfies a condition.
    ///
    /// ```swift
    /// let hour = try await observations.value(of: clock, \.hour) { $0 > 5 }
    /// ```
    ///
    /// It observes from this call on, and takes each value in turn: none is left out because a newer one is there. The condition is evaluated where the
    /// caller runs, after the change, when the property may have another value already. The observation has ended when this returns.
    ///
    /// Waiting retains the object only if the controller does, or if the caller keeps it: in a task, capture it weakly if its end shall end the wait. The
    /// end of an observer that does not hold its controller is noticed with the next change.
    ///
    /// - Parameters:
    ///   - object: What to observe.
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: only new values are considered.
    ///   - isolation: Leave it out: it tells where the condition is evaluated.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - condition: Says of a value whether it is the one.
    /// - Returns: the value.
    /// - Throws: `CancellationError` if the task is cancelled, and an ``ObservationEndedError`` if the observation ends before there is such a value: with
    ///   the object, if the controller does not retain it, with the observer or the controller, or because somebody removes it. `nil` counts as an object
    ///   that was deallocated.
    public func value<Object: KeyPathObservable, Value: Sendable>(
        of object: consuming Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        where condition: (_ value: Value) -> Bool
    ) async throws -> Value {
        // Consumed, so that waiting retains the object only if the controller or the caller does.
        let values = values(of: consume object, keyPath, initial: initial, fileID: fileID, line: line)
        for await value in values where condition(value) { return value }
        try Task.checkCancellation()
        throw ObservationEndedError(reason: values.endReason ?? .removed)
    }
}

/// An observation has ended before there was what it waited for.
public struct ObservationEndedError: Error, Hashable, Sendable {
    /// The reason for which it has ended.
    public let reason: ObservationEndReason

    /// Makes the error.
    ///
    /// - Parameter reason: The reason for which the observation has ended.
    public init(reason: ObservationEndReason) {
        self.reason = reason
    }
}

extension ObservationEndedError: CustomStringConvertible {
    /// A sentence that says what has happened, and why.
    public var description: String {
        "`value(of:_:where:)` found no value before its observation ended: \(reason). Keep the object, the observer and the controller until then."
    }
}

/// Sequences without a controller.
extension KeyPathObservable {
    /// The changes of a key path of this object, as a sequence.
    ///
    /// ```swift
    /// for await change in clock.changes(of: \.hour, options: [.old, .new]) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the changes yet. It does not retain the object, and ends with it. See
    /// ``ObservationSequence`` for every other end.
    ///
    /// - Parameters:
    ///   - keyPath: Which of its values.
    ///   - options: What is delivered, and when.
    ///   - buffering: What becomes of changes that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = .new, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<KeyValueChange<Value>> {
        .changes(of: self, keyPath, options: options, buffering: buffering, position: SourcePosition(fileID: fileID, line: line), in: nil)
    }

    /// The values of a key path of this object, as a sequence: the present one, then each new one.
    ///
    /// ```swift
    /// for await hour in clock.values(of: \.hour) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the values yet. It does not retain the object, and ends with it. See
    /// ``ObservationSequence`` for every other end.
    ///
    /// - Parameters:
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: the sequence has new values only.
    ///   - removing: `.duplicates` leaves out values that equal the one before.
    ///   - buffering: What becomes of values that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        .values(
            of: self, keyPath, initial: initial, removing: removing, buffering: buffering,
            position: SourcePosition(fileID: fileID, line: line), in: nil)
    }
}

/// The parts that sequences with and without a controller share.
extension ObservationSequence {
    /// The changes of a key path, observed by a controller's core, or by the elements of the sequence themselves.
    fileprivate static func changes<Object: KeyPathObservable, Value>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions, buffering: ObservationBuffering,
        position: SourcePosition, in core: ControllerCore?
    ) -> Self where Element == KeyValueChange<Value> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: options, position: position, onTermination: { elements.finish() })
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, elements.request(registration, in: core), change: { (_, _: Object, change) in elements.yield(change) })
        }
    }

    /// The values of a key path, likewise.
    fileprivate static func values<Object: KeyPathObservable>(
        of object: Object?, _ keyPath: KeyPath<Object, Element>, initial: Bool, removing: RemovingDuplicates<Element>?,
        buffering: ObservationBuffering, position: SourcePosition, in core: ControllerCore?
    ) -> Self {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: .value(initial: initial), position: position, onTermination: { elements.finish() },
                wantsWholeValues: true)
            guard let object else { return registration.refused(.noObject) }
            return object._observe(
                keyPath, elements.request(registration.leavingOut(removing), in: core), value: { _, value in elements.yield(value) })
        }
    }
}

extension SequenceElements {
    /// The request of a controller's core, or else of a core of its own, whose observer this is.
    ///
    /// The handler retains this, and so the observer lives exactly as long as the observation.
    fileprivate func request(_ registration: consuming Registration, in core: ControllerCore?) -> _ObservationRequest<AnyObject> {
        if let core { return _ObservationRequest(core, registration) }
        let core = ControllerCore(observer: self, retainsObserved: false)
        core.recordIfAsked()
        return _ObservationRequest(core, registration)
    }
}
