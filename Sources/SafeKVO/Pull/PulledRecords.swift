/// Finds the records of objects: of those that keep their own, there; of all others, in a table.
///
/// The table is looked at when somebody begins or ends to observe, and never when somebody is told something.
package final class PulledRecords: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` belongs to `lock`; what is taken out of it is released outside.

    package static let shared = PulledRecords()

    private final class Entry {
        weak let record: ObservationRecord?
        weak let place: RecordPlace?
        let placeIdentity: ObjectIdentifier

        init(_ record: ObservationRecord, _ place: RecordPlace) {
            self.record = record
            self.place = place
            placeIdentity = ObjectIdentifier(place)
        }
    }

    private let lock = Lock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    /// The list of a value's observers, made if there is none.
    ///
    /// - Parameters:
    ///   - object: The object, which the caller holds.
    ///   - keyPath: The value.
    /// - Returns: the record, which keeps the list, and the list.
    func list(of object: AnyObject, _ keyPath: AnyKeyPath) -> (record: ObservationRecord, list: ObserverList) {
        let (record, place) = keptRecord(of: object).map { ($0, nil) } ?? recordInTable(of: object)
        record.referWeakly(to: object)
        let list = record.pulledList(spelled: keyPath) {
            ObserverList(record: record, events: type(of: keyPath).valueType, keyPath: keyPath) { _ in PulledKey(place: place) }
        }
        return (record, list)
    }

    /// The record of an object, if it has one.
    func existingRecord(of object: AnyObject) -> ObservationRecord? {
        if let kept = keptRecord(of: object) { return kept }
        return existingRecordInTable(of: object)
    }

    /// The record of an object, if it has one here.
    package func existingRecordInTable(of object: AnyObject) -> ObservationRecord? {
        let record = lock.withLock { entries[ObjectIdentifier(object)]?.record }
        return record.flatMap { $0.livingSubject === object ? $0 : nil }
    }

    /// The record at an address, for whom the object is out of reach.
    func record(at object: ObjectIdentifier) -> ObservationRecord? {
        lock.withLock { entries[object]?.record }
    }

    /// How many objects have their records here.
    var count: Int { lock.withLock { entries.count } }

    func giveUp(_ object: ObjectIdentifier, _ place: ObjectIdentifier) {
        lock.withLock {
            if entries[object]?.placeIdentity == place { entries[object] = nil }
        }
    }

    /// The record that an object keeps itself.
    private func keptRecord(of object: AnyObject) -> ObservationRecord? {
        func record<Object: KeyValueObservable>(_ object: Object) -> ObservationRecord {
            object.keyValueRegistrar.record(of: object)
        }
        func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord {
            source.eventRegistrar.record(of: source)
        }
        if let object = object as? any KeyValueObservable { return record(object) }
        if let source = object as? any ObservationSource { return record(ofSource: source) }
        return nil
    }

    private func recordInTable(of object: AnyObject) -> (ObservationRecord, RecordPlace?) {
        let key = ObjectIdentifier(object)
        while true {
            let entry = lock.withLock { entries[key] }
            // Records are let go of outside the lock: the last reference gives up a place here.
            if let entry, let record = entry.record {
                if record.livingSubject === object { return (record, entry.place) }
                // That of an object that was at this address before.
                lock.withLock { if entries[key] === entry { entries[key] = nil } }
                record.subjectDidDie()
                continue
            }
            let record = ObservationRecord(subject: object)
            record.referWeakly(to: object)
            let place = RecordPlace(key)
            let isFirst = lock.withLock {
                if entries[key] !== entry { return false }
                entries[key] = Entry(record, place)
                return true
            }
            if isFirst { return (record, place) }
        }
    }
}

/// The place of a record in the table, given up when this goes.
final class RecordPlace: Sendable {
    let object: ObjectIdentifier

    init(_ object: ObjectIdentifier) {
        self.object = object
    }

    deinit {
        PulledRecords.shared.giveUp(object, ObjectIdentifier(self))
    }
}

/// What the list of a value's observers knows of who looks at the value: one for each place and way in which that is done.
final class PulledKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `drivers` belongs to `lock`.

    private struct Entry {
        weak var driver: PullDriver?
    }

    private let lock = Lock()
    /// Observations keep them.
    private var drivers: [Entry] = []
    /// Where the record is found, if the object does not keep it: it goes with the record.
    private let place: RecordPlace?

    init(place: RecordPlace?) {
        self.place = place
    }

    /// The first driver that matches.
    ///
    /// The match may run code of the program, so it is made outside the lock.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool) -> Driver? {
        var present: [PullDriver] = []
        lock.withLock {
            drivers.removeAll { entry in
                guard let driver = entry.driver else { return true }
                // Let go of outside: this may be the last reference.
                present.append(driver)
                return false
            }
        }
        for case let driver as Driver in present where matches(driver) { return driver }
        return nil
    }

    /// The first driver that matches, or a new one.
    ///
    /// Two threads that both make one have one each.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool, orMake make: () -> Driver) -> Driver {
        if let present = driver(where: matches) { return present }
        let made = make()
        lock.withLock { drivers.append(Entry(driver: made)) }
        return made
    }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        info.withExtras { $0.driver?.observationDidBegin() }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        info.withExtras { $0.driver?.observationDidEnd() }
    }
}
