/// What it means to observe a key path: find the list for it, hang the info in, make the initial call.
extension ControllerCore {
    /// Observes a key path.
    ///
    /// Nearly always the object has been asked for the key path before, and the key path is a property: that case needs nothing that depends
    /// on the types, and is inlined into the caller.
    ///
    /// - Parameters:
    ///   - owner: The object, by the class whose conformance is used.
    ///   - keyPath: The key path, from the class that the caller knows the object by. The two are one class nearly always.
    ///   - registration: What the caller asked for.
    ///   - make: Makes the info.
    /// - Returns: what came of it.
    @inlinable
    func observe<Owner: KeyValueObservable, Object: AnyObject, Value>(
        _ owner: Owner, _ keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) {
            // What the others leave to a target is written out: so the compiler sees the key path, and the property behind it.
            return register(registration, of: owner, list: list, keyPath: keyPath, driver: nil, make: make) { info in
                // SAFETY: the key path is one that was used with this object before.
                let object = unsafe unsafeDowncast(owner, to: Object.self)
                let number = info.lastChange
                var event = KeyValueEvent(
                    subject: object, phase: .initial, new: Recording.suspended { object[keyPath: keyPath] }, old: nil)
                event.header.number = number
                event.deliver(toStarting: info)
            }
        }
        guard Owner.self == Object.self else { return resolveAndObserve(owner, ofAnotherClass: keyPath, registration, make: make) }
        // SAFETY: the types are the same.
        let keyPath = unsafe unsafeDowncast(keyPath, to: KeyPath<Owner, Value>.self)
        return resolveAndObserve(owner, keyPath, PathSteps(keyPath), registration, make: make)
    }

    /// Observes a key path about which nothing is known yet, or that is not a property.
    @usableFromInline
    func resolveAndObserve<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(object, registration, make: make) { PathTarget(of: object, keyPath, steps, registration) }
    }

    /// Observes a key path from another class than the one whose conformance is used.
    @usableFromInline
    package func resolveAndObserve<Object: AnyObject, Value>(
        _ owner: AnyObject, ofAnotherClass keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        func observe<Root: KeyValueObservable>(_ type: Root.Type) -> ObservationResult? {
            guard let object = owner as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
            return resolveAndObserve(object, keyPath, PathSteps(keyPath), registration, make: make)
        }
        guard let type = Object.self as? any KeyValueObservable.Type, let result = observe(type) else {
            preconditionFailure(
                "Internal error of SafeKVO: a key path of `\(Object.self)` was used with a `\(Swift.type(of: owner))`. Please report it.")
        }
        return result
    }

    /// Removes the observation of a key path.
    @inlinable
    package func unobserve<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) { return unobserve(list: list, tag: tag) }
        return resolveAndUnobserve(owner, owner.keyValueRegistrar, keyPath, tag: tag)
    }

    /// Removes the observation of a key path that is not known by this spelling, or not a property.
    @usableFromInline
    func resolveAndUnobserve(
        _ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ keyPath: AnyKeyPath, tag: ObservationTag?
    ) -> Int {
        // Nothing is read: removing must be possible anywhere, also while the property is open for change in place.
        let list = registrar.withRecord(ownedBy: owner) { record in
            // The resolved list is the record's, which the object keeps.
            record.list(spelled: keyPath).map { Unretained($0) } ?? record.pulledList(spelled: keyPath)
        }
        return unobserve(list: list ?? nil, tag: tag)
    }
}

/// A key path about which nothing is known yet, or that is not a property.
struct PathTarget<Object: KeyValueObservable, Value>: ObservationTarget {
    private let object: Object
    private let typedKeyPath: KeyPath<Object, Value>
    private let resolution: KeyPathResolution<Object, Value>

    init(of object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: borrowing Registration) {
        self.object = object
        typedKeyPath = keyPath
        resolution = KeyPathResolution(of: object, keyPath, steps)
        resolution.warnIfSilent(object, keyPath, at: registration.position)
        if !Object._isTracked { PropertyAccess.warnIfUntracked(object, at: registration.position) }
    }

    var keyPath: AnyKeyPath? { typedKeyPath }

    var list: Unretained<ObserverList> { Unretained(resolution.list) }

    func registrationDidEnd() { resolution.finish() }

    func deliverPresent(to info: ObservationInfo) {
        let (value, number) = resolution.current(of: object, typedKeyPath)
        var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
        event.header.number = number
        event.deliver(toStarting: info)
    }
}
