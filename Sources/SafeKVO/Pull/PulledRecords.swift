/// The records of all objects whose values are read because they send no change notifications.
///
/// A *record* holds the observations of one object. An object with a registrar of its own stores its record there. The records of all other
/// objects are in a table. The table is used when an observation begins or ends, and never when observers are notified.
package final class PulledRecords: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` is guarded by `lock`. References that are taken out of it are released outside the lock.

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

    /// Returns the list of the observers of a value, and makes the list if there is none.
    ///
    /// - Parameters:
    ///   - object: The observed object, which the caller retains.
    ///   - keyPath: The key path of the value.
    /// - Returns: The list, and the record that retains the list.
    func list(of object: AnyObject, _ keyPath: AnyKeyPath) -> (record: ObservationRecord, list: ObserverList) {
        let (record, place) = keptRecord(of: object).map { ($0, nil) } ?? recordInTable(of: object)
        record.referWeakly(to: object)
        let list = record.pulledList(spelled: keyPath) {
            ObserverList(record: record, events: type(of: keyPath).valueType, keyPath: keyPath) { _ in PulledKey(place: place) }
        }
        return (record, list)
    }

    /// Returns the record of an object, or nil if it has none.
    func existingRecord(of object: AnyObject) -> ObservationRecord? {
        if let kept = keptRecord(of: object) { return kept }
        return existingRecordInTable(of: object)
    }

    /// Returns the record of an object from the table, or nil if it has none there.
    package func existingRecordInTable(of object: AnyObject) -> ObservationRecord? {
        let record = lock.withLock { entries[ObjectIdentifier(object)]?.record }
        return record.flatMap { $0.livingSubject === object ? $0 : nil }
    }

    /// Returns the record of the object at an address from the table, or nil if there is none.
    ///
    /// It is for callers that cannot access the object.
    func record(at object: ObjectIdentifier) -> ObservationRecord? {
        lock.withLock { entries[object]?.record }
    }

    /// The number of objects whose records are in the table.
    var count: Int { lock.withLock { entries.count } }

    /// Removes the table's entry for an object, unless a newer entry has replaced it.
    func giveUp(_ object: ObjectIdentifier, _ place: ObjectIdentifier) {
        lock.withLock {
            if entries[object]?.placeIdentity == place { entries[object] = nil }
        }
    }

    /// Returns the record in the registrar of an object, or nil if the object has no registrar.
    ///
    /// The record is made if there is none yet.
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
            // The lock must not be held when the record is released: the last release removes the entry, which takes the lock.
            if let entry, let record = entry.record {
                if record.livingSubject === object { return (record, entry.place) }
                // The record belongs to a deallocated object that had the same address.
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

/// The place of a record in the table; its `deinit` removes the record's entry.
final class RecordPlace: Sendable {
    let object: ObjectIdentifier

    init(_ object: ObjectIdentifier) {
        self.object = object
    }

    deinit {
        PulledRecords.shared.giveUp(object, ObjectIdentifier(self))
    }
}

/// The hook of a list of observers, which knows the drivers that read the observed value.
///
/// There is one driver for each isolation, and for each way of reading the value.
final class PulledKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `drivers` is guarded by `lock`.

    private struct Entry {
        weak var driver: PullDriver?
    }

    private let lock = Lock()
    /// Weak references to the drivers, which the observations retain.
    private var drivers: [Entry] = []
    /// The place of the record in the table, or nil if the object stores its record itself.
    ///
    /// The record retains it through this hook, so both are deallocated together.
    private let place: RecordPlace?

    init(place: RecordPlace?) {
        self.place = place
    }

    /// Returns the first driver that matches, or nil.
    ///
    /// The closure may run code of the program, so it is called outside the lock.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool) -> Driver? {
        var present: [PullDriver] = []
        lock.withLock {
            drivers.removeAll { entry in
                guard let driver = entry.driver else { return true }
                // This may be the last reference to the driver. The array keeps it until the lock is free.
                present.append(driver)
                return false
            }
        }
        for case let driver as Driver in present where matches(driver) { return driver }
        return nil
    }

    /// Returns the first driver that matches, or makes a new one.
    ///
    /// If two threads make one at the same time, both drivers are used.
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
