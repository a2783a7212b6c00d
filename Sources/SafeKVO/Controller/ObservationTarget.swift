/// A thing that a controller can observe, with the facts that a registration needs.
///
/// Examples are properties, key paths, polled values, event sources, and topics of sources.
package protocol ObservationTarget {
    /// The key path that the caller gave, or nil if there is none.
    var keyPath: AnyKeyPath? { get }

    /// The object that checks the value for changes, or `nil` if the value sends change notifications.
    var driver: PullDriver? { get }

    /// The list of the target's observers, which the target retains.
    var list: Unretained<ObserverList> { get }

    /// Releases what the target kept for a registration, once that has succeeded or failed.
    func registrationDidEnd()

    /// Makes the initial call of an observation, with the present value.
    ///
    /// The observation is already in its list, so it misses no change: a change that is made during the call is delivered after it.
    func deliverPresent(to info: ObservationInfo)
}

extension ObservationTarget {
    package var keyPath: AnyKeyPath? { nil }

    package var driver: PullDriver? { nil }

    package func registrationDidEnd() {}

    /// Does nothing, because an event has no present value.
    package func deliverPresent(to info: ObservationInfo) {}
}

extension ControllerCore {
    /// Observes a target.
    ///
    /// Almost every registration goes through this function. The exception is a property whose key path is already known: code that is
    /// inlined into the caller registers it.
    ///
    /// `make` makes the info, which is one registration with its handler. `target` makes the target, or returns `nil` if it cannot be
    /// observed. It is not called if the registration is refused before.
    package func observe<Target: ObservationTarget>(
        _ subject: AnyObject?, _ registration: borrowing Registration, make: InfoParts.Maker, target: () -> Target?
    ) -> ObservationResult {
        guard let subject else { return registration.refused(.noObject) }
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        guard let target = target() else { return registration.refused(.objectDeinitialized) }
        defer { withExtendedLifetime(target) { target.registrationDidEnd() } }
        return register(
            registration, of: subject, list: target.list, keyPath: target.keyPath, driver: target.driver, make: make,
            start: { target.deliverPresent(to: $0) })
    }

    /// Observes all events of a source, whose list of observers is `list`.
    @usableFromInline
    func observe(_ subject: AnyObject, _ list: ObserverList, _ registration: borrowing Registration, make: InfoParts.Maker)
        -> ObservationResult
    {
        observe(subject, registration, make: make) { ListTarget(observers: list) }
    }
}

/// A target that consists of an existing list of observers.
///
/// Its key has no present value, so there is no initial call.
struct ListTarget: ObservationTarget {
    let observers: ObserverList

    var list: Unretained<ObserverList> { Unretained(observers) }
}
