/// The records of the objects whose observed values send no change notifications.
///
/// A *record* holds the observations of one object. This class has a table of records for the objects that have no registrar.
package final class PulledRecords: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `entries`. Entries may be released under the lock, because this runs no other code.

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

    /// Returns the list of a value's observers and the record that retains the list; makes missing ones.
    ///
    /// The caller must retain the object.
    func list(of object: AnyObject, _ keyPath: AnyKeyPath) -> (record: ObservationRecord, list: ObserverList) {
        let (record, place) = keptRecord(of: object).map { ($0, nil) } ?? recordInTable(of: object)
        record.referWeakly(to: object)
        let list = record.pulledList(spelled: keyPath) {
            ObserverList(record: record, events: type(of: keyPath).valueType, keyPath: keyPath) { _ in PulledKey(place: place) }
        }
        return (record, list)
    }

    /// Returns the records of an object's observations: those in its registrars or, if it has no registrar, the one in the table.
    func existingRecords(of object: AnyObject) -> [ObservationRecord] {
        func record<Object: KeyValueObservable>(_ object: Object) -> ObservationRecord? {
            object.keyValueRegistrar.withRecord(ownedBy: object) { $0 }
        }
        func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord? {
            source.eventRegistrar.record(ownedBy: source)
        }
        let (observable, source) = (object as? any KeyValueObservable, object as? any ObservationSource)
        if observable == nil, source == nil { return existingRecordInTable(of: object).map { [$0] } ?? [] }
        return [observable.flatMap { record($0) }, source.flatMap { record(ofSource: $0) }].compactMap { $0 }
    }

    package func existingRecordInTable(of object: AnyObject) -> ObservationRecord? {
        let record = lock.withLock { entries[ObjectIdentifier(object)]?.record }
        return record.flatMap { $0.livingSubject === object ? $0 : nil }
    }

    func record(at object: ObjectIdentifier) -> ObservationRecord? {
        lock.withLock { entries[object]?.record }
    }

    var count: Int { lock.withLock { entries.count } }

    func giveUp(_ object: ObjectIdentifier, _ place: ObjectIdentifier) {
        lock.withLock {
            if entries[object]?.placeIdentity == place { entries[object] = nil }
        }
    }

    /// Returns the record that the object's registrar stores, created if missing.
    ///
    /// Returns `nil` if the object has no registrar. The table in this class then stores the record.
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
            // Load the record outside the lock: a release of the last reference to the record takes the lock.
            if let entry, let record = entry.record {
                if record.livingSubject === object { return (record, entry.place) }
                // This record belongs to a deallocated object that had the same address.
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

final class RecordPlace: Sendable {
    let object: ObjectIdentifier

    init(_ object: ObjectIdentifier) {
        self.object = object
    }

    deinit {
        PulledRecords.shared.giveUp(object, ObjectIdentifier(self))
    }
}

/// The *drivers* of one observed value: objects that check the value for changes, for example by polling.
///
/// There is one driver for each isolation and each way of checking.
final class PulledKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `drivers`.

    private struct Entry {
        weak var driver: PullDriver?
    }

    private let lock = Lock()
    private var drivers: [Entry] = []
    /// An object whose `deinit` removes the record from the table; `nil` if the observed object stores its record itself.
    private let place: RecordPlace?

    init(place: RecordPlace?) {
        self.place = place
    }

    /// Returns the first driver (an object that checks the value for changes) for which `matches` returns `true`.
    ///
    /// No lock is held during the calls of `matches`.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool) -> Driver? {
        var present: [PullDriver] = []
        lock.withLock {
            drivers.removeAll { entry in
                guard let driver = entry.driver else { return true }
                // Retain the driver, because its last reference must not be released under the lock.
                present.append(driver)
                return false
            }
        }
        for case let driver as Driver in present where matches(driver) { return driver }
        return nil
    }

    /// Returns the first driver for which `matches` returns `true`, or makes one.
    ///
    /// If two threads make drivers at the same time, both drivers are used.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool, orMake make: @autoclosure () -> Driver) -> Driver {
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
