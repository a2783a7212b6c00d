/// A closure that takes values or events, and the place where it is called.
///
/// Form one where it is handed over, after `on:`:
///
/// ```swift
/// observations.observe(download, \.progress, on: .mainActor { bar, progress in bar.progress = progress })
/// ```
///
/// ## Order and lifetime
///
/// What happens in that place already is delivered at once, if the place is the main actor or any thread. Everything else hops: it is delivered
/// later, in the order in which it arrived, each event with its own value. By then the property may hold a newer one. When a removal has
/// returned, nothing that is on its way is delivered. A value on its way keeps itself and the observed object alive, and not the observer.
public struct ObservationHandler<Observer: AnyObject, Value> {
    let place: HandlerPlace
    let function: (_ observer: Observer, _ value: Value) -> Void

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - place: Where it is called.
    ///   - function: Called there, and only there.
    package init(_ place: HandlerPlace, _ function: @escaping (_ observer: Observer, _ value: Value) -> Void) {
        self.place = place
        self.function = function
    }
}

extension ObservationHandler where Observer: Sendable, Value: Sendable {
    /// Calls a closure on the main actor.
    ///
    /// What happens on the main actor is delivered at once, before the setter returns; everything else hops.
    ///
    /// - Parameter handler: Called with the observer and the value.
    /// - Returns: the handler.
    public static func mainActor(_ handler: @escaping @MainActor @Sendable (_ observer: Observer, _ value: Value) -> Void) -> Self {
        // SAFETY: (here and below) the place calls the function where it belongs, and only there.
        Self(HandlerPlace(MainActorTarget.shared), unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self))
    }

    /// Calls a closure on a global actor.
    ///
    /// Everything hops. The closure is written with the actor's name, `.globalActor(Archive.self) { @Archive log, value in … }`; a
    /// registration with a closure of another actor is refused.
    ///
    /// - Parameters:
    ///   - type: The global actor.
    ///   - handler: Called with the observer and the value.
    /// - Returns: the handler.
    public static func globalActor<Isolation: GlobalActor>(
        _ type: Isolation.Type, _ handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ value: Value) -> Void
    ) -> Self {
        // SAFETY: as above.
        Self(HandlerPlace(type, of: handler.isolation), unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self))
    }

    /// Calls a closure in an actor, which it gets `isolated`.
    ///
    /// Everything hops. The actor is retained as long as the observation lasts; for the observing actor use ``observer(_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor.
    ///   - handler: Called with the actor, the observer and the value.
    /// - Returns: the handler.
    public static func actor<Isolation: Actor>(
        _ actor: Isolation, _ handler: @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ value: Value) -> Void
    ) -> Self {
        // SAFETY: as above.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Value) -> Void).self)
        return Self(HandlerPlace(ActorTarget(actor))) { called(actor, $0, $1) }
    }

    /// Calls a closure on whatever thread makes the change, at once.
    ///
    /// Several threads may be in it together.
    ///
    /// - Parameter handler: Called with the observer and the value.
    /// - Returns: the handler.
    public static func anyThread(_ handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationHandler where Observer: Sendable {
    /// Calls a method of the observer on the main actor, without arguments.
    ///
    /// It is formed on the main actor, and nowhere else: a method does not tell the compiler where it belongs.
    ///
    /// - Parameter action: The method. It is not bound to the observer, so nothing is retained.
    /// - Returns: the handler.
    @MainActor
    @_disfavoredOverload
    public static func mainActor(action: @escaping (Observer) -> () -> Void) -> Self {
        Self(HandlerPlace(MainActorTarget.shared, kind: .action)) { observer, _ in action(observer)() }
    }

    /// Calls a method of the observer on the main actor, as `mainActor(action:)` without arguments, and with the value.
    @MainActor
    @_disfavoredOverload
    public static func mainActor(action: @escaping (Observer) -> (Value) -> Void) -> Self where Value: Sendable {
        Self(HandlerPlace(MainActorTarget.shared, kind: .action)) { observer, value in action(observer)(value) }
    }
}

extension ObservationHandler where Observer: Actor, Value: Sendable {
    /// Calls a closure inside the observing actor.
    ///
    /// Everything hops. The actor is not retained.
    ///
    /// - Parameter handler: Called with the observer and the value.
    /// - Returns: the handler.
    public static func observer(_ handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void) -> Self {
        // SAFETY: as above.
        Self(.observer, unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self))
    }
}

extension ObservationHandler {
    /// Says what is missing where no actor observes.
    @available(*, unavailable, message: "The observer must be an actor, and the value Sendable. Otherwise leave 'on:' out.")
    @_disfavoredOverload
    public static func observer(_ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.observer, handler)
    }
}
