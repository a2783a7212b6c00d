/// Something that a controller can observe, such as a property, a key path, a polled value, or the events of a source.
@usableFromInline
package protocol ObservationTarget {
    var keyPath: AnyKeyPath? { get }

    /// The object that checks the value for changes, or `nil` if the value sends change notifications.
    var driver: ObservationDriver? { get }

    /// The list of observers to which an observation of this target is added. The target retains the list.
    var list: Unretained<ObserverList> { get }

    /// Called after each registration, even a failed one, so that the target can release its resources.
    func registrationDidEnd()

    /// Calls the handler of a new observation with the present value.
    func deliverPresent(to info: ObservationInfo)
}

extension ObservationTarget {
    package var keyPath: AnyKeyPath? { nil }

    package var driver: ObservationDriver? { nil }

    package func registrationDidEnd() {}

    /// Does nothing, because an event has no present value.
    package func deliverPresent(to info: ObservationInfo) {}
}

extension ControllerCore {
    /// Observes the target that the closure `target` makes.
    ///
    /// If the closure returns `nil`, the registration is refused.
    @_alwaysEmitIntoClient
    package func observe<Target: ObservationTarget>(
        _ subject: AnyObject?, _ registration: borrowing Registration, make: InfoParts.Maker, target: () -> Target?
    ) -> ObservationResult {
        guard let subject else { return registration.refused(.noObject) }
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal, of: subject) }
        guard let target = target() else { return registration.refused(.objectDeinitialized, of: subject) }
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

package struct ListTarget: ObservationTarget {
    let observers: ObserverList

    package init(observers: ObserverList) {
        self.observers = observers
    }

    package var list: Unretained<ObserverList> { Unretained(observers) }
}
