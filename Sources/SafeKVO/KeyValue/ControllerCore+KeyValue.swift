/// Observing key paths: a registration finds the list of observers for the key path, adds an info for the new observation, and makes the
/// initial call.
extension ControllerCore {
    /// Observes a key path.
    ///
    /// Nearly always, the key path is a property that was used with this object before. This function handles that case without code that
    /// depends on the types, and is inlined into the caller. Every other case goes to `resolveAndObserve`.
    ///
    /// - Parameters:
    ///   - owner: The observed object, typed as the class that conforms to `KeyValueObservable`.
    ///   - keyPath: The key path, from the class that the caller uses for the object. Nearly always, this is the class of `owner`.
    ///   - registration: The options, tag and other arguments of the registration.
    ///   - make: Makes the info, which represents the new observation.
    /// - Returns: the result of the registration.
    @inlinable
    func observe<Owner: KeyValueObservable, Object: AnyObject, Value>(
        _ owner: Owner, _ keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) {
            // Other kinds of observation pass a target object to a shared function. This one is the most frequent, so it makes the initial
            // call in a closure here: the compiler then sees the key path and can inline the access to the property.
            return register(registration, of: owner, list: list, keyPath: keyPath, driver: nil, make: make) { info in
                // SAFETY: this key path was used with this object before, so the object is an instance of the key path's root class.
                let object = unsafe unsafeDowncast(owner, to: Object.self)
                let number = info.lastChange
                var event = KeyValueEvent(
                    subject: object, phase: .initial, new: Recording.suspended { object[keyPath: keyPath] }, old: nil)
                event.header.number = number
                event.deliver(toStarting: info)
            }
        }
        guard Owner.self == Object.self else { return resolveAndObserve(owner, ofAnotherClass: keyPath, registration, make: make) }
        // SAFETY: the guard has checked that the two types are the same.
        let keyPath = unsafe unsafeDowncast(keyPath, to: KeyPath<Owner, Value>.self)
        return resolveAndObserve(owner, keyPath, PathSteps(keyPath), registration, make: make)
    }

    /// Observes a key path that is used with this object for the first time, or that is not a single property.
    @usableFromInline
    func resolveAndObserve<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(object, registration, make: make) { PathTarget(of: object, keyPath, steps, registration) }
    }

    /// Observes a key path whose root is another class than the one that conforms to `KeyValueObservable`: its superclass or subclass.
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
    ///
    /// - Returns: the number of removed observations: one or zero.
    @inlinable
    package func unobserve<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath) { return unobserve(list: list, tag: tag) }
        return resolveAndUnobserve(owner, owner.keyValueRegistrar, keyPath, tag: tag)
    }

    /// Removes the observation of a key path that is not a single property, or that was not yet used with this object by this name.
    @usableFromInline
    func resolveAndUnobserve(
        _ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ keyPath: AnyKeyPath, tag: ObservationTag?
    ) -> Int {
        // Reading a property while it is changed in place would trap. An observation must be removable at that time too. So this only looks
        // the key path up, and reads nothing.
        let list = registrar.withRecord(ownedBy: owner) { record in
            // The record (which holds the observations of the object) retains the list, and the object retains the record.
            record.list(spelled: keyPath).map { Unretained($0) } ?? record.pulledList(spelled: keyPath)
        }
        return unobserve(list: list ?? nil, tag: tag)
    }
}

/// The target of a registration: a key path that is used with its object for the first time, or that is not a single property.
///
/// Making the target finds the list of observers for the key path, or makes it.
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
