/// A closure that takes values or events, together with the isolation in which the closure is called.
///
/// Make one in the argument `on:`:
///
/// ```swift
/// observations.observe(
///     download, \.progress,
///     on: .mainActor { bar, progress in bar.progress = progress })
/// ```
///
/// ## Order
///
/// With `.anyThread`, each value of a property is delivered on the thread that makes the change, before the setter returns. If another
/// thread is calling the handler at that time, that thread delivers the value next.
///
/// With `.mainActor`, values are delivered before the setter returns if the change is made on the main actor. Every other value is
/// delivered later, in the handler's isolation.
///
/// Delivery keeps the order of the changes that one thread makes. Changes of different threads have no order among each other. Each call gets
/// the value of its own change, even if the property has a newer value by then. A handler of values skips a value that is older than one
/// that it got before.
///
/// ## Computed and nested key paths
///
/// Such a key path is evaluated only in the isolation in which the observation was registered. After a change that is made outside
/// that isolation, it is evaluated there later. Several changes may then be one call, with the newest value. With `.anyThread`, the handler is called in that
/// isolation, too. Without an isolation, the key path is evaluated on the thread that makes the change, by one thread at a time.
///
/// ## Lifetime
///
/// A value that waits retains the observed object, but not the observer. If an observation is removed, the values that wait are dropped.
///
/// A closure of a global actor, which may capture objects of that actor that are not `Sendable`, is released on that actor: when the
/// observation ends, or soon after it. Every other closure is released on the thread that ends the observation.
public struct ObservationHandler<Observer: AnyObject, Value> {
    @usableFromInline package let place: HandlerPlace
    @usableFromInline package let function: (_ observer: Observer, _ value: Value) -> Void

    /// Makes a handler from a function that the library calls only in the isolation `place`.
    @_alwaysEmitIntoClient
    package init(_ place: HandlerPlace, _ function: @escaping (_ observer: Observer, _ value: Value) -> Void) {
        self.place = place
        self.function = function
    }
}

extension ObservationHandler where Observer: Sendable, Value: Sendable {
    /// Returns a handler that calls a closure on the main actor.
    ///
    /// If a change is made on the main actor, the closure is called at once, before the setter returns. For any other change, it is called
    /// later, by a job on the main actor.
    @_alwaysEmitIntoClient
    public static func mainActor(_ handler: @escaping @MainActor @Sendable (_ observer: Observer, _ value: Value) -> Void) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let kept = IsolatedClosure(unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self), isolatedTo: MainActor.shared)
        return Self(.mainActor(.closure)) { kept.function($0, $1) }
    }

    /// Returns a handler that calls a closure on a global actor.
    ///
    /// Every value is delivered later, by a job on the actor. Name the actor in the closure, as in
    /// `.globalActor(Archive.self) { @Archive log, value in … }`. If the closure belongs to another actor, the registration is refused.
    @_alwaysEmitIntoClient
    public static func globalActor<Isolation: GlobalActor>(
        _ type: Isolation.Type, _ handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ value: Value) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let kept = IsolatedClosure(
            unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self), isolatedTo: handler.isolation)
        return Self(HandlerPlace(type, of: handler.isolation)) { kept.function($0, $1) }
    }

    /// Returns a handler that calls a closure in an actor.
    ///
    /// Every value is delivered later, by a job on the actor, which the closure receives as an `isolated` parameter. The actor is retained
    /// until the observation ends. If the actor is the observer, use ``observer(_:)``, which does not retain it.
    @_alwaysEmitIntoClient
    public static func actor<Isolation: Actor>(
        _ actor: Isolation, _ handler: @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ value: Value) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Value) -> Void).self)
        return Self(.actor(actor)) { called(actor, $0, $1) }
    }

    /// Returns a handler that calls a closure on the thread that makes the change, before the setter returns.
    ///
    /// If the closure takes a property's values, only one thread at a time runs it. If another thread is running the closure during the
    /// change, that thread runs the closure again with the new value. A closure that takes events may run on several threads at the same
    /// time.
    @_alwaysEmitIntoClient
    public static func anyThread(_ handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationHandler where Observer: Sendable, Value: Sendable {
    /// Returns a handler that calls a method of the observer, without arguments, on the main actor.
    ///
    /// Call this function on the main actor, so that the compiler can check that the method may run there.
    ///
    /// - Parameter action: The unbound method, as in `View.update`. It retains nothing.
    @MainActor
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func mainActor(action: @escaping (Observer) -> () -> Void) -> Self {
        let kept = IsolatedClosure(action, isolatedTo: MainActor.shared)
        return Self(.mainActor(.action)) { observer, _ in kept.function(observer)() }
    }

    /// Returns a handler that calls a method of the observer, with the value, on the main actor.
    ///
    /// Call this function on the main actor, so that the compiler can check that the method may run there.
    @MainActor
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func mainActor(action: @escaping (Observer) -> (Value) -> Void) -> Self {
        let kept = IsolatedClosure(action, isolatedTo: MainActor.shared)
        return Self(.mainActor(.action)) { observer, value in kept.function(observer)(value) }
    }
}

extension ObservationHandler where Observer: Actor, Value: Sendable {
    /// Returns a handler that calls a closure on the observer, which is an actor.
    ///
    /// Every value is delivered later, by a job on the observing actor. The handler does not retain that actor.
    @_alwaysEmitIntoClient
    public static func observer(_ handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        Self(.observer, unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self))
    }
}

extension ObservationHandler {
    /// Unavailable, so that the compiler's error message says which observers and values `observer` accepts.
    @_alwaysEmitIntoClient
    @available(*, unavailable, message: "The observer must be an actor, and the value Sendable. Otherwise leave 'on:' out.")
    @_disfavoredOverload
    public static func observer(_ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.observer, handler)
    }
}

/// A closure that takes an object and a change, together with the isolation in which the closure is called.
///
/// Make one in the argument `on:`, as in the example. ``ObservationHandler`` describes isolations, order and lifetime. The type
/// `Payload` is the part of a change that must be `Sendable`: the value, or the values of several key paths.
///
/// ```swift
/// observations.observe(
///     download, \.progress, options: .old,
///     on: .mainActor { bar, download, change in bar.show(change) })
/// ```
public struct ObservationChangeHandler<Observer: AnyObject, Object, Change, Payload> {
    @usableFromInline let place: HandlerPlace
    @usableFromInline let function: Function
    /// Makes the function for an observation of a key path; `nil` if the function needs no key path.
    @usableFromInline let functionOf: ((_ keyPath: AnyKeyPath) -> Function)?

    @usableFromInline typealias Function = (_ observer: Observer, _ object: Object, _ change: Change) -> Void

    /// Makes a handler from a function that the library calls only in the isolation `place`.
    @_alwaysEmitIntoClient
    package init(_ place: HandlerPlace, _ function: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) {
        self.place = place
        self.function = function
        functionOf = nil
    }

    @_alwaysEmitIntoClient
    init(_ place: HandlerPlace, of functionOf: @escaping (_ keyPath: AnyKeyPath?) -> Function) {
        self.place = place
        function = functionOf(nil)
        self.functionOf = functionOf
    }

    @_alwaysEmitIntoClient
    func function(of keyPath: AnyKeyPath) -> Function { functionOf?(keyPath) ?? function }
}

extension ObservationChangeHandler where Observer: Sendable, Payload: Sendable {
    /// Returns a handler that calls a closure on the main actor.
    ///
    /// If a change is made on the main actor, the closure is called at once, before the setter returns. For any other change, it is called
    /// later, by a job on the main actor.
    @_alwaysEmitIntoClient
    public static func mainActor(
        _ handler: @escaping @MainActor @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let kept = IsolatedClosure(
            unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self), isolatedTo: MainActor.shared)
        return Self(.mainActor(.closure)) { kept.function($0, $1, $2) }
    }

    /// Returns a handler that calls a closure on a global actor.
    ///
    /// Every change is delivered later, by a job on the actor. Name the actor in the closure, as in
    /// `.globalActor(Archive.self) { @Archive log, object, change in … }`. If the closure belongs to another actor, the registration is
    /// refused.
    @_alwaysEmitIntoClient
    public static func globalActor<Isolation: GlobalActor>(
        _ type: Isolation.Type,
        _ handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let kept = IsolatedClosure(
            unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self), isolatedTo: handler.isolation)
        return Self(HandlerPlace(type, of: handler.isolation)) { kept.function($0, $1, $2) }
    }

    /// Returns a handler that calls a closure in an actor.
    ///
    /// Every change is delivered later, by a job on the actor, which the closure receives as an `isolated` parameter. The actor is retained
    /// until the observation ends. If the actor is the observer, use ``observer(_:)``, which does not retain it.
    @_alwaysEmitIntoClient
    public static func actor<Isolation: Actor>(
        _ actor: Isolation,
        _ handler: @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Object, Change) -> Void).self)
        return Self(.actor(actor)) { called(actor, $0, $1, $2) }
    }

    /// Returns a handler that calls a closure on the thread that makes the change, before the setter returns.
    ///
    /// Several threads may run the closure at the same time.
    @_alwaysEmitIntoClient
    public static func anyThread(
        _ handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        Self(.anyThread, handler)
    }

    /// Returns a handler that calls a method of the observer, without arguments, on the main actor.
    ///
    /// Call this function on the main actor, so that the compiler can check that the method may run there.
    ///
    /// - Parameter action: The unbound method, as in `View.update`. It retains nothing.
    @MainActor
    @_alwaysEmitIntoClient
    public static func mainActor(action: @escaping (Observer) -> () -> Void) -> Self {
        let kept = IsolatedClosure(action, isolatedTo: MainActor.shared)
        return Self(.mainActor(.action)) { observer, _, _ in kept.function(observer)() }
    }

    /// Returns a handler that calls a method of the observer, with the change, on the main actor.
    ///
    /// Call this function on the main actor, so that the compiler can check that the method may run there.
    @MainActor
    @_alwaysEmitIntoClient
    public static func mainActor(action: @escaping (Observer) -> (Change) -> Void) -> Self {
        let kept = IsolatedClosure(action, isolatedTo: MainActor.shared)
        return Self(.mainActor(.action)) { observer, _, change in kept.function(observer)(change) }
    }

    /// Returns a handler that calls a method of the observer, with the change and the object, on the main actor.
    ///
    /// Call this function on the main actor, so that the compiler can check that the method may run there.
    @MainActor
    @_alwaysEmitIntoClient
    public static func mainActor(action: @escaping (Observer) -> (Change, Object) -> Void) -> Self {
        let kept = IsolatedClosure(action, isolatedTo: MainActor.shared)
        return Self(.mainActor(.action)) { observer, object, change in
            kept.function(observer)(change, object)
        }
    }
}

extension ObservationChangeHandler where Observer: KeyValueObserver, Object: AnyObject, Payload: Sendable {
    /// Returns a handler that calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` on the main actor.
    ///
    /// Call this function on the main actor, because the observer may conform to the protocol only there.
    ///
    /// - Parameter context: A value that the observer gets with each change, to tell its observations apart.
    @MainActor
    @_alwaysEmitIntoClient
    public static func mainActor<Value>(context: Observer.Context) -> Self where Change == KeyValueChange<Value> {
        Self(
            .mainActor(.context),
            of: { keyPath in
                { observer, object, change in
                    observer.observeChange(AnyKeyValueChange(change, keyPath: keyPath), of: object, context: context)
                }
            })
    }

    /// Returns a handler that calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` on the main actor.
    ///
    /// One such handler can serve several key paths, because ``AnyKeyValueChange`` describes changes of any type of value. Call this
    /// function on the main actor, because the observer may conform to the protocol only there.
    @MainActor
    @_alwaysEmitIntoClient
    public static func mainActor(context: Observer.Context) -> Self where Change == AnyKeyValueChange {
        Self(.mainActor(.context)) { observer, object, change in
            observer.observeChange(change, of: object, context: context)
        }
    }
}

extension ObservationChangeHandler where Observer: Actor, Payload: Sendable {
    /// Returns a handler that calls a closure on the observer, which is an actor.
    ///
    /// Every change is delivered later, by a job on the observing actor. The handler does not retain that actor.
    @_alwaysEmitIntoClient
    public static func observer(
        _ handler: @escaping @Sendable (_ observer: isolated Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        Self(.observer, unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self))
    }
}

extension ObservationChangeHandler {
    /// Unavailable, so that the compiler's error message says which observers, objects and values `observer` accepts.
    @_alwaysEmitIntoClient
    @available(*, unavailable, message: "The observer must be an actor, the object and the value Sendable. Otherwise leave 'on:' out.")
    @_disfavoredOverload
    public static func observer(_ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) -> Self {
        Self(.observer, handler)
    }
}
