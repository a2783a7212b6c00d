/// The records of the objects that have no registrar: their observed values send no change notifications, or another system sends them.
///
/// A *record* holds the observations of one object.
package final class PulledRecords: Sendable {
    package static let shared = PulledRecords()
    private let table = WeakTable()
    /// The records of stand-ins, under the identity of the object that each of them represents.
    private let standIns = WeakTable()

    package func add(_ record: ObservationRecord, ofStandInFor object: AnyObject) {
        _ = standIns.object(at: ObjectIdentifier(object), where: { $0 === record }, orMake: { record })
    }

    /// Returns the list of a value's observers and the record that retains the list; makes missing ones.
    ///
    /// The caller must retain the object.
    func list(of object: AnyObject, _ keyPath: AnyKeyPath) -> (record: ObservationRecord, list: ObserverList) {
        let record = (registered(object, making: true)?.first ?? nil) ?? recordInTable(of: object)
        let list = record.pulledList(spelled: keyPath) {
            ObserverList(record: record, events: type(of: keyPath).valueType, keyPath: keyPath) { _ in PulledKey() }
        }
        return (record, list)
    }

    /// Returns the records of an object's observations: those in its registrars or, if it has no registrar, the one in the table; then that of
    /// its stand-in, which is empty if the stand-in was that of a deallocated object with the same address.
    func existingRecords(of object: AnyObject) -> [ObservationRecord] {
        let own = registered(object) ?? [existingRecordInTable(of: object)]
        var records: [ObservationRecord] = []
        for case let record? in own + [Self.record(standIns.object(at: ObjectIdentifier(object)))] { records.append(record) }
        return records
    }

    package func existingRecordInTable(of object: AnyObject) -> ObservationRecord? {
        record(at: ObjectIdentifier(object)).flatMap { $0.livingSubject === object ? $0 : nil }
    }

    func record(at object: ObjectIdentifier) -> ObservationRecord? { Self.record(table.object(at: object)) }

    private static func record(_ entry: AnyObject?) -> ObservationRecord? {
        // SAFETY: both tables hold records.
        entry.map { unsafe unsafeDowncast($0, to: ObservationRecord.self) }
    }

    /// Returns the records in the registrars of an object: that of its properties, then that of its events; nil if it has no registrar.
    ///
    /// If `making` is `true`, the first record is made if it is missing.
    private func registered(_ object: AnyObject, making: Bool = false) -> [ObservationRecord?]? {
        var found: [ObservationRecord?]?
        func look(in registrar: borrowing ObserverRegistrar, _ role: ObserverRegistrar.Role) {
            let isMade = making && found == nil
            let record = isMade ? registrar.record(of: object, role) : registrar.withRecord(ownedBy: object, role) { $0 }
            found = (found ?? []) + [record]
        }
        func ofProperties<Object: KeyValueObservable>(_ object: Object) { look(in: object.keyValueRegistrar.observers, .keyValue) }
        func ofEvents<Source: ObservationSource>(_ source: Source) { look(in: source.eventRegistrar.observers, .source) }
        if let observable = object as? any KeyValueObservable { ofProperties(observable) }
        if let source = object as? any ObservationSource { ofEvents(source) }
        return found
    }

    private func recordInTable(of object: AnyObject) -> ObservationRecord {
        let record = table.object(
            at: ObjectIdentifier(object),
            where: { entry in
                guard let record = Self.record(entry), record.livingSubject !== object else { return true }
                // This record belongs to a deallocated object that had the same address.
                record.subjectDidDie()
                return false
            },
            orMake: { ObservationRecord(subject: object) })
        // SAFETY: the table holds records.
        return unsafe unsafeDowncast(record, to: ObservationRecord.self)
    }
}

/// The *drivers* of one observed value: objects that check the value for changes, for example by polling.
///
/// There is one driver for each isolation and each way of checking.
final class PulledKey: ObserverListHook, Sendable {
    private let drivers = WeakTable()

    /// Returns the first driver (an object that checks the value for changes) for which `matches` returns `true`.
    func driver<Driver: ObservationDriver>(where matches: (Driver) -> Bool) -> Driver? {
        for case let driver as Driver in drivers.objects where matches(driver) { return driver }
        return nil
    }

    /// Returns the first driver for which `matches` returns `true`, or makes one.
    ///
    /// If two threads make drivers at the same time, both drivers are used.
    func driver<Driver: ObservationDriver>(where matches: (Driver) -> Bool, orMake make: @autoclosure () -> Driver) -> Driver {
        if let present = driver(where: matches) { return present }
        let made = make()
        drivers.add(made)
        return made
    }
}
