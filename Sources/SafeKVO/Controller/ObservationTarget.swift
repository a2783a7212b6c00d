/// What is observed, as far as a registration needs to know.
///
/// A property, a key path, a value that is read again and again, a key of another system, a source and its topics are targets. A new kind of
/// thing to observe is a new target, and no edit here.
package protocol ObservationTarget {
    /// The key path as it was given, if that is how.
    var keyPath: AnyKeyPath? { get }

    /// What reads the value for this observation, if the value does not announce its changes.
    var driver: PullDriver? { get }

    /// The list of the observers, which the target keeps.
    var list: Unretained<ObserverList> { get }

    /// Lets go of what was held until the registration was made, or could not be made.
    func registrationDidEnd()

    /// Makes the initial call.
    ///
    /// The info hangs in its list by then, so that no change can be missed: what arrives meanwhile waits and follows.
    func deliverPresent(to info: ObservationInfo)
}

extension ObservationTarget {
    package var keyPath: AnyKeyPath? { nil }

    package var driver: PullDriver? { nil }

    package func registrationDidEnd() {}

    /// Delivers nothing: an event has no present value.
    package func deliverPresent(to info: ObservationInfo) {}
}

extension ControllerCore {
    /// Observes a target: the only way to an observation.
    ///
    /// One target is written out where it is observed, in the caller: a property by a key path that is known already.
    ///
    /// - Parameters:
    ///   - subject: The object that is observed. Observing `nil` does nothing.
    ///   - registration: What the caller asked for.
    ///   - make: Makes the info.
    ///   - target: Makes the target, once it is known that it can be observed; nil if it cannot.
    /// - Returns: what came of it.
    package func observe<Target: ObservationTarget>(
        _ subject: AnyObject?, _ registration: borrowing Registration, make: InfoParts.Maker, target: () -> Target?
    ) -> ObservationResult {
        guard let subject else { return registration.refused(.noObject) }
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        guard let target = target() else { return registration.refused(.objectDeinitialized) }
        // No closure captures the registration: it would be copied.
        defer { withExtendedLifetime(target) { target.registrationDidEnd() } }
        return register(
            registration, of: subject, list: target.list, keyPath: target.keyPath, driver: target.driver, make: make,
            start: { target.deliverPresent(to: $0) })
    }

    /// Observes all events of a source.
    @usableFromInline
    func observe(_ subject: AnyObject, _ list: ObserverList, _ registration: borrowing Registration, make: InfoParts.Maker)
        -> ObservationResult
    {
        observe(subject, registration, make: make) { ListTarget(observers: list) }
    }
}

/// A list that is there already, of whose key there is no present value.
struct ListTarget: ObservationTarget {
    let observers: ObserverList

    var list: Unretained<ObserverList> { Unretained(observers) }
}
