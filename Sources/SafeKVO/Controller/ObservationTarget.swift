/// What is observed, as far as a registration needs to know.
///
/// A property, a key path, a value that is read again and again, a key of another system, a source and its topics are targets. A new kind of
/// thing to observe is a new target, and no edit here.
@usableFromInline
protocol ObservationTarget {
    /// The key path as it was given, if that is how.
    var keyPath: AnyKeyPath? { get }

    /// What reads the value for this observation, if the value does not announce its changes.
    var driver: PullDriver? { get }

    /// Hands over the list of the observers, and keeps it and whatever else is needed until the registration is made.
    func withList(_ register: (ObserverList) -> ObservationResult) -> ObservationResult

    /// Makes the initial call.
    ///
    /// The info hangs in its list by then, so that no change can be missed: what arrives meanwhile waits and follows.
    func deliverPresent(to info: ObservationInfo)
}

extension ObservationTarget {
    @inlinable var keyPath: AnyKeyPath? { nil }

    @inlinable var driver: PullDriver? { nil }

    /// Delivers nothing: an event has no present value.
    @inlinable
    func deliverPresent(to info: ObservationInfo) {}
}

extension ControllerCore {
    /// Observes a target: the only way to an observation.
    ///
    /// - Parameters:
    ///   - subject: The object that is observed. Observing `nil` does nothing.
    ///   - registration: What the caller asked for.
    ///   - make: Makes the info.
    ///   - target: Makes the target, once it is known that it can be observed; nil if it cannot.
    /// - Returns: what came of it.
    @inlinable
    @inline(__always)
    func observe<Target: ObservationTarget>(
        _ subject: AnyObject?, _ registration: Registration, make: InfoParts.Maker, target: () -> Target?
    ) -> ObservationResult {
        guard let subject else { return registration.refused(.noObject) }
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        guard let target = target() else { return registration.refused(.objectDeinitialized) }
        return target.withList { list in
            register(registration, list: list, keyPath: target.keyPath, driver: target.driver, make: make) { target.deliverPresent(to: $0) }
        }
    }
}

/// A list that is there already, of whose key there is no present value.
@usableFromInline
struct ListTarget: ObservationTarget {
    @usableFromInline let list: ObserverList

    @usableFromInline
    init(_ list: ObserverList) { self.list = list }

    @usableFromInline
    func withList(_ register: (ObserverList) -> ObservationResult) -> ObservationResult { register(list) }
}
