// What 0.1.0 named otherwise, for the compiler to say so. The version after this one deletes the file.

extension ObservationController {
    /// Says what to write.
    @available(*, unavailable, message: "pass the handler with on:, observe(object, keyPath, on: .anyThread { … })")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "pass the handler with on:, observe(object, keyPath, on: .anyThread { … })")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "pass the handler with on:, poll(object, keyPath, every: interval, on: .anyThread { … })")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "pass the handler with on:, poll(object, keyPath, every: interval, on: .anyThread { … })")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void, onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }
}

/// Says what to write.
@available(*, unavailable, message: "pass a method: observe(center, for: CoverWanted.self, action: View.receive(_:))")
public protocol MessageObserver<ReceivedMessage>: AnyObject {
    /// The type of the messages.
    associatedtype ReceivedMessage: Message
}
