/// What it means to observe a key path of an object of another system.
extension ControllerCore {
    /// Observes a key path.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - system: The system that tells of its changes.
    ///   - path: The key path by name.
    ///   - keyPath: The key path as it was given, if it was not given by name.
    ///   - registration: What the caller asked for.
    ///   - make: Makes the info.
    ///   - initial: The present value, where the system cannot read it.
    /// - Returns: what came of it.
    func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?, _ registration: Registration,
        make: InfoParts.Maker, initial: ((Object) -> Value)?
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        guard let subject = ForeignSubject.standing(for: object, of: system) else { return registration.refused(.observedGone) }
        if let refusal = refusal(of: subject) { return registration.refused(refusal) }
        let list = subject.reserve(path)
        defer { subject.release(list, path) }
        let result = register(registration, list: list, keyPath: keyPath, make: make) { info in
            let number = info.lastChange
            let isRead = info.flags.contains(.newValue)
            let known = isRead ? initial.map { initial in ForeignValue(value: Recording.suspended { initial(object) }) } : nil
            let path = list.hook as? ForeignPath
            let value = isRead ? known ?? path?.read() : nil
            path?.noteInitial(value, info)
            var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
            event.header.number = number
            event.deliver(toStarting: info)
        }
        (list.hook as? ForeignPath)?.warnIfUnobservable(registration.position)
        return result
    }

    /// Removes the observation of a key path, also that of a value that is looked at.
    func unobserve(
        _ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, tag: ObservationTag?
    ) -> Int {
        let list = object.flatMap { ForeignSubject.existing(for: $0, of: system) }?.list(of: path)
        let record = object.flatMap { PulledRecords.shared.existingRecordInTable(of: $0) }
        let pulled = keyPath.flatMap { record?.pulledList(spelled: $0) }
        return withExtendedLifetime((list, record)) {
            unobserve(list: list.map { Unretained($0) } ?? pulled, or: pulled, tag: tag)
        }
    }
}
