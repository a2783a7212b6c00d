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
        _ owner: Owner, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) {
            return observe(owner, registration, make: make) {
                // SAFETY: the key path is one that was used with this object before.
                PropertyTarget(object: unsafe unsafeDowncast(owner, to: Object.self), typedKeyPath: keyPath, list: list)
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
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(object, registration, make: make) { PathTarget(of: object, keyPath, steps, registration) }
    }

    /// Observes a key path from another class than the one whose conformance is used.
    @usableFromInline
    func resolveAndObserve<Object: AnyObject, Value>(
        _ owner: AnyObject, ofAnotherClass keyPath: KeyPath<Object, Value>, _ registration: Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        func observe<Root: KeyValueObservable>(_ type: Root.Type) -> ObservationResult? {
            guard let object = owner as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
            return resolveAndObserve(object, keyPath, PathSteps(keyPath), registration, make: make)
        }
        guard let type = Object.self as? any KeyValueObservable.Type, let result = observe(type) else {
            preconditionFailure("Internal inconsistency: a key path of \(Object.self) was given for an object of \(Swift.type(of: owner)).")
        }
        return result
    }

    /// Removes the observation of a key path.
    func unobserve<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) { return unobserve(list: list, tag: tag) }
        // Nothing is read: removing must be possible anywhere, also while the property is open for change in place.
        let list = owner.keyValueRegistrar.withRecord(ownedBy: owner) { record in
            // The resolved list is the record's, which the object keeps.
            record.list(spelled: keyPath).map { Unretained($0) } ?? record.pulledList(spelled: keyPath)
        }
        return unobserve(list: list ?? nil, tag: tag)
    }
}

/// A property that was observed before, by the key path that is given.
@usableFromInline
struct PropertyTarget<Object: AnyObject, Value>: ObservationTarget {
    @usableFromInline let object: Object
    @usableFromInline let typedKeyPath: KeyPath<Object, Value>
    @usableFromInline let list: Unretained<ObserverList>

    @inlinable
    init(object: Object, typedKeyPath: KeyPath<Object, Value>, list: Unretained<ObserverList>) {
        self.object = object
        self.typedKeyPath = typedKeyPath
        self.list = list
    }

    @inlinable var keyPath: AnyKeyPath? { typedKeyPath }

    @inlinable
    func withList(_ register: (ObserverList) -> ObservationResult) -> ObservationResult {
        // SAFETY: the object's record keeps the list.
        unsafe list.with(register)
    }

    @inlinable
    func deliverPresent(to info: ObservationInfo) {
        let number = info.lastChange
        var event = KeyValueEvent(
            subject: object, phase: .initial, new: Recording.suspended { object[keyPath: typedKeyPath] }, old: nil)
        event.header.number = number
        event.deliver(toStarting: info)
    }
}

/// A key path about which nothing is known yet, or that is not a property.
struct PathTarget<Object: KeyValueObservable, Value>: ObservationTarget {
    private let object: Object
    private let typedKeyPath: KeyPath<Object, Value>
    private let resolution: KeyPathResolution<Object, Value>

    init(of object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: Registration) {
        self.object = object
        typedKeyPath = keyPath
        resolution = KeyPathResolution(of: object, keyPath, steps)
        resolution.warnIfSilent(object, keyPath, at: registration.position)
    }

    var keyPath: AnyKeyPath? { typedKeyPath }

    func withList(_ register: (ObserverList) -> ObservationResult) -> ObservationResult {
        defer { resolution.finish() }
        return register(resolution.list)
    }

    func deliverPresent(to info: ObservationInfo) {
        let (value, number) = resolution.current(of: object, typedKeyPath)
        var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
        event.header.number = number
        event.deliver(toStarting: info)
    }
}
