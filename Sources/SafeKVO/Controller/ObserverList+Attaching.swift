/// Observers that bring no controller: each has a core of its own, which lives as long as the observation.
extension ObserverList {
    /// Registers an observer, unless it is attached already.
    @usableFromInline
    func attach(
        _ observer: AnyObject, to subject: AnyObject, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        if attachment(of: observer) != nil { return .alreadyObserved }
        let core = ControllerCore(observer: observer, retainsObserved: false, isOfAttachment: true)
        let result = core.observe(subject, registration, make: make) {
            core.recordIfAsked()
            return ListTarget(observers: self)
        }
        // Another thread may have attached the same observer meanwhile: the first one stays.
        guard let first = attachment(of: observer), !first.isOwned(by: core) else { return result }
        _ = core.unobserveAll()
        return .alreadyObserved
    }

    /// Removes an observer.
    ///
    /// - Returns: whether it was attached.
    func detach(_ observer: AnyObject) -> Bool {
        attachment(of: observer)?.end(for: .removed) ?? false
    }

    /// The observation of an attached observer.
    private func attachment(of observer: AnyObject) -> ObservationInfo? {
        let identity = ObjectIdentifier(observer)
        return firstInfo { info in
            info.ifKept {
                info.withOwner { owner in
                    // An observer of that address may have been there before.
                    owner.isOfAttachment && owner.observerIdentity == identity && !info.isOver && owner.observer === observer
                }
            } ?? false
        }
    }
}
