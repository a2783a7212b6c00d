/// Functions that add and remove observations of key paths.
extension ControllerCore {
    /// Registers an observation of a key path, which may start at a superclass or subclass of `Owner`.
    ///
    /// Stops the program if the object is not of the class at which the key path starts.
    @_alwaysEmitIntoClient
    func observe<Owner: KeyValueObservable, Object: AnyObject, Value>(
        _ owner: Owner, _ keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        if Owner.self != Object.self, !(owner is Object) { refuse(owner, keyPath) }
        if let list = PropertyAccess.listToObserve(of: owner, owner.keyValueRegistrar, spelled: keyPath) {
            // The closure reads the initial value. The compiler can inline this read, because it knows the key path here.
            return register(registration, of: owner, list: list, keyPath: keyPath, driver: nil, make: make) { info in
                // SAFETY: the first line of this function has checked that the object is an `Object`.
                let object = unsafe unsafeDowncast(owner, to: Object.self)
                let number = info.lastChange
                var event = KeyValueEvent(
                    subject: object, phase: .initial, new: Recording.suspended { object[keyPath: keyPath] }, old: nil)
                event.deliver(toStarting: info, readAfter: number)
            }
        }
        guard Owner.self == Object.self else { return resolveAndObserve(owner, ofAnotherClass: keyPath, registration, make: make) }
        // SAFETY: the guard has checked that `Owner` and `Object` are the same type.
        let keyPath = unsafe unsafeDowncast(keyPath, to: KeyPath<Owner, Value>.self)
        return resolveAndObserve(owner, keyPath, PathSteps(keyPath), registration, make: make)
    }

    @usableFromInline
    func resolveAndObserve<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        observe(object, registration, make: make) { PathTarget(of: object, keyPath, steps, registration, by: self) }
    }

    @usableFromInline
    package func resolveAndObserve<Object: AnyObject, Value>(
        _ owner: AnyObject, ofAnotherClass keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        func observe<Root: KeyValueObservable>(_ type: Root.Type) -> ObservationResult? {
            guard let object = owner as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
            return resolveAndObserve(object, keyPath, PathSteps(keyPath), registration, make: make)
        }
        guard let type = Object.self as? any KeyValueObservable.Type, let result = observe(type) else { refuse(owner, keyPath) }
        return result
    }

    /// Stops the program, because the object is not of the class at which the key path starts.
    ///
    /// `observe` of a controller takes no such key path. So the program has called the requirement that `observe` calls.
    @usableFromInline
    @inline(never)
    func refuse<Object: AnyObject>(_ owner: AnyObject, _ keyPath: PartialKeyPath<Object>) -> Never {
        FatalMistake.stop(
            """
            `_observe` of an object of class `\(type(of: owner))` was called with a key path of `\(Object.self)`, which is another class. Do not \
            forward a registration by `_observe`. Call `observe(_:_:)` of a controller with the object and a key path of its class.
            """)
    }

    @_alwaysEmitIntoClient
    package func unobserve<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        if let list = PropertyAccess.list(of: owner, owner.keyValueRegistrar, spelled: keyPath), remove(list: list, tag: tag) { return 1 }
        return resolveAndUnobserve(owner, owner.keyValueRegistrar, keyPath, tag: tag)
    }

    /// If the controller does not observe the key path, the observation is looked for in `other`.
    @usableFromInline
    package func resolveAndUnobserve(
        _ owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, _ keyPath: AnyKeyPath, or other: Unretained<ObserverList>? = nil,
        tag: ObservationTag?
    ) -> Int {
        // Find the list by comparing key paths. Evaluating the key path would trap while the property is being mutated in place.
        let list = registrar.withRecord(ownedBy: owner) { record in
            // The object retains `record`, and `record` retains the list.
            observedList(spelled: keyPath, tag, in: record) ?? record.pulledList(spelled: keyPath)
        }
        return unobserve(list: list ?? other, tag: tag)
    }

    /// Returns the list of a key path in which this controller has an observation with a tag.
    private func observedList(
        spelled keyPath: AnyKeyPath, _ tag: ObservationTag?, in record: ObservationRecord
    ) -> Unretained<ObserverList>? {
        for home in [.region(of: Unretained(self)), .mainActor, .everywhere] as [Home] {
            if let list = record.existingList(spelled: keyPath, at: home), observes(list, tag) { return Unretained(list) }
        }
        // It may have been registered on any actor.
        return infos().first { $0.tag == tag && $0.withList { $0.recordWord == Unretained(record).word && $0.isSpelled(keyPath) } }?.list
    }
}
