/// What it means to observe a value that does not announce its changes.
extension ControllerCore {
    /// Observes a value.
    ///
    /// The caller is where the value may be read, and where the handler belongs.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: Which of its values.
    ///   - registration: What else the caller said.
    ///   - removing: What counts as equal.
    ///   - offersPriorCalls: Whether the driver hears of changes before they are made.
    ///   - make: Makes the info.
    ///   - matches: Whether a driver that is there already will do.
    ///   - makeDriver: Makes a driver.
    /// - Returns: what came of it.
    func pull<Object: AnyObject, Value, Driver: ValueDriver<Object, Value>>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, removing: RemovingDuplicates<Value>? = nil,
        offersPriorCalls: Bool = false, make: InfoParts.Maker,
        driverWhere matches: (Driver) -> Bool, orMake makeDriver: (ObservationRecord, ObserverList) -> Driver
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        if let refusal = refusal(of: object) { return registration.refused(refusal) }
        if registration.flags.contains(.priorCall), !offersPriorCalls { return registration.refused(registration.refusalOfPriorCalls()) }
        var registration = registration.leavingOut(removing)
        let (record, list) = PulledRecords.shared.list(of: object, keyPath)
        guard let key = list.hook as? PulledKey else { preconditionFailure("The list of a pulled value has lost its hook.") }
        let driver = key.driver(where: matches) { makeDriver(record, list) }
        registration.driver = driver
        // From here on, what is found and heard is somebody's business; the end of another observation does not throw it away.
        driver.registrationWillBegin()
        defer { driver.registrationDidEnd() }
        driver.prepare(object, keepsOldValue: !registration.flags.isDisjoint(with: [.oldValue, .comparesValues]))
        if driver.isSilent {
            ObservationDiagnostics.warnOnce(
                .nothingObservable, at: registration.position,
                "\(keyPath) reads nothing that is @Observable, so its changes are not heard. Poll it instead.")
        }
        return register(registration, list: list, keyPath: keyPath, make: make) { info in
            var event = KeyValueEvent(subject: object, phase: .initial, new: driver.initialValue(of: object), old: nil)
            event.deliver(toStarting: info)
        }
    }

    /// Removes the observation of a value.
    func unpull(_ object: AnyObject?, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        let record = object.flatMap { PulledRecords.shared.existingRecord(of: $0) }
        return withExtendedLifetime(record) { unobserve(list: record?.pulledList(spelled: keyPath), tag: tag) }
    }
}
