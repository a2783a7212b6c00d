// The names of version 0.1.0, for which the compiler suggests the present ones. The next version deletes this file.

extension ObservationController {
    /// Unavailable; use the form of `observe` with `on: .anyThread` instead.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'observe(object, keyPath, on: .anyThread { … })'.")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Unavailable; use the form of `observe` with `on: .anyThread` instead.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'observe(object, keyPath, on: .anyThread { … })'.")
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Unavailable; use the form of `poll` with `on: .anyThread` instead.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'poll(object, keyPath, every: interval, on: .anyThread { … })'.")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }

    /// Unavailable; use the form of `poll` with `on: .anyThread` instead.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'poll(object, keyPath, every: interval, on: .anyThread { … })'.")
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void, onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult { .refused(.noObject) }
}

/// Unavailable; pass a method of the observer to `observe` instead.
@available(*, unavailable, message: "Pass a method, as in 'observe(center, for: CoverWanted.self, action: View.receive(_:))'.")
public protocol MessageObserver<ReceivedMessage>: AnyObject {
    /// The type of the messages.
    associatedtype ReceivedMessage: Message
}

/// Unavailable; use `NamedMessage` instead.
@available(*, unavailable, renamed: "NamedMessage")
public typealias RawMessage = NamedMessage

/// Unavailable; use `ObservationToken` instead.
@available(*, unavailable, renamed: "ObservationToken")
public typealias MessageRegistration = ObservationToken

/// Unavailable; use `MulticastDelegate` instead.
@available(*, unavailable, renamed: "MulticastDelegate")
public typealias Delegates<Delegate> = MulticastDelegate<Delegate>

extension ObservationEndReason {
    /// Unavailable; use `objectDeinitialized` instead.
    @available(*, unavailable, renamed: "objectDeinitialized")
    public static var observedGone: Self { .objectDeinitialized }

    /// Unavailable; use `observerDeinitialized` instead.
    @available(*, unavailable, renamed: "observerDeinitialized")
    public static var observerGone: Self { .observerDeinitialized }
}

extension ObservationResult.Refusal {
    /// Unavailable; use `objectDeinitialized` instead.
    @available(*, unavailable, renamed: "objectDeinitialized")
    public static var observedGone: Self { .objectDeinitialized }

    /// Unavailable; use `observerDeinitialized` instead.
    @available(*, unavailable, renamed: "observerDeinitialized")
    public static var observerGone: Self { .observerDeinitialized }
}

extension ObservationCounters {
    /// Unavailable; use `dropped` instead.
    @available(*, unavailable, renamed: "dropped")
    public var swallowed: UInt64 { dropped }

    /// Unavailable; use `wrongIsolation` instead.
    @available(*, unavailable, renamed: "wrongIsolation")
    public var misplaced: UInt64 { wrongIsolation }
}

extension ObservationLogEntry.Event {
    /// Unavailable; use `dropped` instead.
    @available(*, unavailable, renamed: "dropped")
    public static var swallowed: Self { .dropped }

    /// Unavailable; use `wrongIsolation` instead.
    @available(*, unavailable, renamed: "wrongIsolation")
    public static var misplaced: Self { .wrongIsolation }
}
