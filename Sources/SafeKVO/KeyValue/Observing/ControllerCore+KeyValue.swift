/// What it means to observe a key path: find the list for it, hang the info in, make the initial call.
extension ControllerCore {
    /// Observes a key path.
    ///
    /// Nearly always the object has been asked for the key path before, and the key path is a property: that case needs nothing that depends
    /// on the types, and is inlined into the caller.
    @inlinable
    func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, removing: RemovingDuplicates<Value>?,
        make: InfoParts.Maker
    ) -> ObservationResult {
        // A copy of the registration would cost a tenth of adding an observation.
        guard let removing else { return observe(object, keyPath, registration, make: make) }
        return observe(object, keyPath, registration.leavingOut(DuplicateFilter(removing)), make: make)
    }

    @inlinable
    func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        if let list = PropertyAccess.list(of: object, object.keyValueRegistrar, spelled: keyPath) {
            return registerAsking(registration, of: object, list: list, keyPath: keyPath, make: make) { info in
                let number = info.lastChange
                var event = KeyValueEvent(
                    subject: object, phase: .initial, new: Recording.suspended { object[keyPath: keyPath] }, old: nil)
                event.header.number = number
                event.deliver(toStarting: info)
            }
        }
        return resolveAndObserve(object, keyPath, PathSteps(keyPath), registration, make: make)
    }

    /// Observes a key path about which nothing is known yet, or that is not a property.
    @usableFromInline
    func resolveAndObserve<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        if let refusal = refusal(of: object) { return registration.refused(refusal) }
        let resolution = KeyPathResolution(of: object, keyPath, steps)
        defer { resolution.finish() }
        resolution.warnIfSilent(object, keyPath, at: registration.position)
        return register(registration, list: resolution.list, keyPath: keyPath, make: make) { info in
            let (value, number) = resolution.current(of: object, keyPath)
            var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
            event.header.number = number
            event.deliver(toStarting: info)
        }
    }

    /// Removes the observation of a key path.
    @inlinable
    func unobserve<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag?
    ) -> Int {
        guard let object else { return unobserve(list: nil, tag: tag) }
        if let list = PropertyAccess.list(of: object, object.keyValueRegistrar, spelled: keyPath) { return unobserve(list: list, tag: tag) }
        return resolveAndUnobserve(object, keyPath, tag: tag)
    }

    /// Removes the observation of a key path that is not known by this spelling, or not a property.
    @usableFromInline
    func resolveAndUnobserve<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag?
    ) -> Int {
        // The resolved list is the record's, which the caller's object keeps.
        let list = KeyPathResolution.existingList(of: object, keyPath).map { Unretained($0) }
        return unobserve(
            list: list ?? object.keyValueRegistrar.withRecord(ownedBy: object) { $0.pulledList(spelled: keyPath) } ?? nil, tag: tag)
    }
}
