/// Something that a controller can observe, with all that a registration must know about it.
///
/// There are targets for properties, key paths, values that must be read, keys of other systems, sources, and topics of sources. A new kind
/// of target is a new type, and needs no change in this file.
package protocol ObservationTarget {
    /// The key path that the caller gave, or nil if there is none.
    var keyPath: AnyKeyPath? { get }

    /// The object that reads the value for this observation, or nil if the value sends change notifications.
    var driver: PullDriver? { get }

    /// The list of the observers, which the target retains.
    var list: Unretained<ObserverList> { get }

    /// Releases what the target has kept for a registration, which has succeeded or failed.
    func registrationDidEnd()

    /// Makes the initial call of an observation, with the present value.
    ///
    /// The info, which is the new registration, is in its list already. So no change is missed: a change that is made meanwhile waits, and
    /// is delivered after the initial call.
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
    /// Every registration goes through this function, with one exception. A property whose key path is known already is registered by code
    /// that is inlined into the caller.
    ///
    /// - Parameters:
    ///   - subject: The object to observe. With `nil`, the registration is refused.
    ///   - registration: The options, the tag and the other arguments that the caller gave.
    ///   - make: Makes the info, which is one registration with its handler.
    ///   - target: Makes the target, unless the registration is refused before. It returns nil if the target cannot be observed.
    /// - Returns: The result of the registration.
    package func observe<Target: ObservationTarget>(
        _ subject: AnyObject?, _ registration: borrowing Registration, make: InfoParts.Maker, target: () -> Target?
    ) -> ObservationResult {
        guard let subject else { return registration.refused(.noObject) }
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        guard let target = target() else { return registration.refused(.objectDeinitialized) }
        // The closures must not capture the registration, which cannot be copied.
        defer { withExtendedLifetime(target) { target.registrationDidEnd() } }
        return register(
            registration, of: subject, list: target.list, keyPath: target.keyPath, driver: target.driver, make: make,
            start: { target.deliverPresent(to: $0) })
    }

    /// Observes all events of a source, whose list of observers exists already.
    @usableFromInline
    func observe(_ subject: AnyObject, _ list: ObserverList, _ registration: borrowing Registration, make: InfoParts.Maker)
        -> ObservationResult
    {
        observe(subject, registration, make: make) { ListTarget(observers: list) }
    }
}

/// A target for a list of observers that exists already, and whose key has no present value.
struct ListTarget: ObservationTarget {
    let observers: ObserverList

    var list: Unretained<ObserverList> { Unretained(observers) }
}
