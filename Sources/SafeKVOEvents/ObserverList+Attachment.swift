public import SafeKVO

/// Functions that attach an observer, so that the program needs no controller.
///
/// Each observer gets its own ``ControllerCore``, which lives until the observation ends.
extension ObserverList {
    @usableFromInline
    func attach(
        _ observer: AnyObject, to subject: AnyObject, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        if let refusal = registration.refusal(ofSource: subject) { return registration.refused(refusal, of: subject) }
        if attachment(of: observer) != nil { return .alreadyObserved }
        let core = ControllerCore(observer: observer, retainsObserved: false, isOfAttachment: true)
        let result = core.observe(subject, registration, make: make) {
            core.recordIfAsked()
            return ListTarget(observers: self)
        }
        // Two threads may have added the same observer at once. Only the first observation in the list stays.
        guard let first = attachment(of: observer), !first.isOwned(by: core) else { return result }
        _ = core.unobserveAll()
        return .alreadyObserved
    }

    func detach(_ observer: AnyObject) -> Bool {
        attachment(of: observer)?.end(for: .removed, by: .region) ?? false
    }

    /// Finds the observation in this list that ``attach(_:to:_:make:)`` made for `observer`.
    ///
    /// The search also ends the attached observations of deallocated observers. Otherwise they would stay until the next event.
    private func attachment(of observer: AnyObject) -> ObservationInfo? {
        var dead: [ObservationInfo] = []
        defer { for info in dead { info.end(for: .observerDeinitialized) } }
        let identity = ObjectIdentifier(observer)
        return firstInfo { info in
            info.withOwner { owner in
                if !owner.isOfAttachment || info.isOver { return false }
                if owner.isObserverGone {
                    dead.append(info)
                    return false
                }
                // Compare the objects, too: a new object can have the address of a deallocated observer.
                return owner.observerIdentity == identity && owner.observer === observer
            } ?? false
        }
    }
}
