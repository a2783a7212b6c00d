/// A closure that takes the object and a change, and the place where it is called.
///
/// The places, the order and the lifetimes are those of an ``ObservationHandler``. `Payload` is what has to be `Sendable` of the change: its value,
/// or the values of several key paths.
///
/// ```swift
/// observations.observe(download, \.progress, options: .old, on: .mainActor { bar, download, change in bar.show(change) })
/// ```
public struct ObservationChangeHandler<Observer: AnyObject, Object, Change, Payload> {
    let place: HandlerPlace
    let function: (_ observer: Observer, _ object: Object, _ change: Change) -> Void

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - place: Where it is called.
    ///   - function: Called there, and only there.
    package init(_ place: HandlerPlace, _ function: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) {
        self.place = place
        self.function = function
    }
}

extension ObservationChangeHandler where Observer: Sendable, Payload: Sendable {
    /// Calls a closure on the main actor.
    ///
    /// What happens on the main actor is delivered at once, before the setter returns; everything else hops.
    ///
    /// - Parameter handler: Called with the observer, the object and the change.
    /// - Returns: the handler.
    public static func mainActor(
        _ handler: @escaping @MainActor @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: (here and below) the place calls the function where it belongs, and only there.
        Self(HandlerPlace(MainActorTarget.shared), unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self))
    }

    /// Calls a closure on a global actor.
    ///
    /// Everything hops. The closure is written with the actor's name, `.globalActor(Archive.self) { @Archive log, object, change in … }`; a
    /// registration with a closure of another actor is refused.
    ///
    /// - Parameters:
    ///   - type: The global actor.
    ///   - handler: Called with the observer, the object and the change.
    /// - Returns: the handler.
    public static func globalActor<Isolation: GlobalActor>(
        _ type: Isolation.Type,
        _ handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: as above.
        Self(HandlerPlace(type, of: handler.isolation), unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self))
    }

    /// Calls a closure in an actor, which it gets `isolated`.
    ///
    /// Everything hops. The actor is retained as long as the observation lasts; for the observing actor use ``observer(_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor.
    ///   - handler: Called with the actor, the observer, the object and the change.
    /// - Returns: the handler.
    public static func actor<Isolation: Actor>(
        _ actor: Isolation,
        _ handler: @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: as above.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Object, Change) -> Void).self)
        return Self(HandlerPlace(ActorTarget(actor))) { called(actor, $0, $1, $2) }
    }

    /// Calls a closure on whatever thread makes the change, at once.
    ///
    /// Several threads may be in it together.
    ///
    /// - Parameter handler: Called with the observer, the object and the change.
    /// - Returns: the handler.
    public static func anyThread(
        _ handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        Self(.anyThread, handler)
    }

    /// Calls a method of the observer on the main actor, without arguments.
    ///
    /// It is formed on the main actor, and nowhere else: a method does not tell the compiler where it belongs.
    ///
    /// - Parameter action: The method. It is not bound to the observer, so nothing is retained.
    /// - Returns: the handler.
    @MainActor
    public static func mainActor(action: @escaping (Observer) -> () -> Void) -> Self {
        Self(HandlerPlace(MainActorTarget.shared, kind: .action)) { observer, _, _ in action(observer)() }
    }

    /// Calls a method of the observer on the main actor, as `mainActor(action:)` without arguments, and with the change.
    @MainActor
    public static func mainActor(action: @escaping (Observer) -> (Change) -> Void) -> Self {
        Self(HandlerPlace(MainActorTarget.shared, kind: .action)) { observer, _, change in action(observer)(change) }
    }

    /// Calls a method of the observer on the main actor, as `mainActor(action:)` without arguments, and with the change and the object.
    @MainActor
    public static func mainActor(action: @escaping (Observer) -> (Change, Object) -> Void) -> Self {
        Self(HandlerPlace(MainActorTarget.shared, kind: .action)) { observer, object, change in action(observer)(change, object) }
    }
}

extension ObservationChangeHandler where Observer: KeyValueObserver, Object: AnyObject, Payload: Sendable {
    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` on the main actor.
    ///
    /// It is formed on the main actor, and nowhere else, because the observer's conformance may belong there.
    ///
    /// - Parameter context: Handed to the observer with each change, to tell its observations apart.
    /// - Returns: the handler.
    @MainActor
    public static func mainActor<Value>(context: Observer.Context) -> Self where Change == KeyValueChange<Value> {
        Self(HandlerPlace(MainActorTarget.shared, kind: .context)) { observer, object, change in
            observer.observeChange(AnyKeyValueChange(change), of: object, context: context)
        }
    }

    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` on the main actor, for several key paths.
    @MainActor
    public static func mainActor(context: Observer.Context) -> Self where Change == AnyKeyValueChange {
        Self(HandlerPlace(MainActorTarget.shared, kind: .context)) { observer, object, change in
            observer.observeChange(change, of: object, context: context)
        }
    }
}

extension ObservationChangeHandler where Observer: Actor, Payload: Sendable {
    /// Calls a closure inside the observing actor.
    ///
    /// Everything hops. The actor is not retained.
    ///
    /// - Parameter handler: Called with the observer, the object and the change.
    /// - Returns: the handler.
    public static func observer(
        _ handler: @escaping @Sendable (_ observer: isolated Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        // SAFETY: as above.
        Self(.observer, unsafe unsafeBitCast(handler, to: ((Observer, Object, Change) -> Void).self))
    }
}

extension ObservationChangeHandler {
    /// Says what is missing where no actor observes.
    @available(*, unavailable, message: "The observer must be an actor, the object and the value Sendable. Otherwise leave 'on:' out.")
    @_disfavoredOverload
    public static func observer(_ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) -> Self {
        Self(.observer, handler)
    }
}
