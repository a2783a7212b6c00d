/// Something that a controller can observe, such as a property, a key path, a polled value, or the events of a
/// source.
package protocol ObservationTarget {
    /// The key path that was passed to `observe`, or `nil` if there is none.
    var keyPath: AnyKeyPath? { get }

    /// The object that checks the value for changes, or `nil` if the value sends change notifications.
    var driver: PullDriver? { get }

    /// The list of the target's observers, which the target retains.
    var list: Unretained<ObserverList> { get }

    /// Called after a registration has succeeded or failed, so that the target can release what it kept for it.
    func registrationDidEnd()

    /// Calls the handler of a new observation with the present value.
    ///
    /// A change that another thread makes during the call is delivered after the call.
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
    /// - Parameters:
    ///   - subject: The object to observe.
    ///   - registration: The arguments of the call to `observe`.
    ///   - make: Makes the object that stores the registration and its handler.
    ///   - target: Makes the target, or returns `nil` if the target cannot be observed. It is not called if the registration is refused.
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

    @usableFromInline
    func observe(_ subject: AnyObject, _ list: ObserverList, _ registration: borrowing Registration, make: InfoParts.Maker)
        -> ObservationResult
    {
        observe(subject, registration, make: make) { ListTarget(observers: list) }
    }
}

/// A target that consists of an existing list of observers, and has no present value.
struct ListTarget: ObservationTarget {
    let observers: ObserverList

    var list: Unretained<ObserverList> { Unretained(observers) }
}
