// What 0.1.0 named otherwise, for the compiler to say so. The version after this one deletes the file.

extension ObservationController {
    /// Says what to write.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'observe(object, keyPath, on: .anyThread { … })'.")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'observe(object, keyPath, on: .anyThread { … })'.")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'poll(object, keyPath, every: interval, on: .anyThread { … })'.")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Says what to write.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'poll(object, keyPath, every: interval, on: .anyThread { … })'.")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void, onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }
}

/// Says what to write.
@available(*, unavailable, message: "Pass a method, as in 'observe(center, for: CoverWanted.self, action: View.receive(_:))'.")
public protocol MessageObserver<ReceivedMessage>: AnyObject {
    /// The type of the messages.
    associatedtype ReceivedMessage: Message
}

/// Says what it is named.
@available(*, unavailable, renamed: "NamedMessage")
public typealias RawMessage = NamedMessage

/// Says what it is named.
@available(*, unavailable, renamed: "ObservationToken")
public typealias MessageRegistration = ObservationToken

/// Says what it is named.
@available(*, unavailable, renamed: "MulticastDelegate")
public typealias Delegates<Delegate> = MulticastDelegate<Delegate>

extension ObservationEndReason {
    /// Says what it is named.
    @available(*, unavailable, renamed: "objectDeinitialized")
    public static var observedGone: Self { .objectDeinitialized }

    /// Says what it is named.
    @available(*, unavailable, renamed: "observerDeinitialized")
    public static var observerGone: Self { .observerDeinitialized }
}

extension ObservationResult.Refusal {
    /// Says what it is named.
    @available(*, unavailable, renamed: "objectDeinitialized")
    public static var observedGone: Self { .objectDeinitialized }

    /// Says what it is named.
    @available(*, unavailable, renamed: "observerDeinitialized")
    public static var observerGone: Self { .observerDeinitialized }
}

extension ObservationCounters {
    /// Says what it is named.
    @available(*, unavailable, renamed: "dropped")
    public var swallowed: UInt64 { dropped }

    /// Says what it is named.
    @available(*, unavailable, renamed: "wrongIsolation")
    public var misplaced: UInt64 { wrongIsolation }
}

extension ObservationLogEntry.Event {
    /// Says what it is named.
    @available(*, unavailable, renamed: "dropped")
    public static var swallowed: Self { .dropped }

    /// Says what it is named.
    @available(*, unavailable, renamed: "wrongIsolation")
    public static var misplaced: Self { .wrongIsolation }
}
