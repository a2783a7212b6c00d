internal import CSafeKVO
internal import Synchronization

/// A table with one list of observers for each observed topic of a source.
///
/// A list is made when its topic is first observed, and removed with the topic's last observer. So the table has no lists of names and
/// objects that are not observed.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `index` is changed only under `lock`, which also guards the counts. Code of the program runs outside
    // the lock, and objects of the program are used outside it.

    private let lock = Lock()
    private let index = TopicIndex()
    /// The number of topics that are restricted to an object.
    private let objectTopics = Atomic<Int>(0)
    /// The table looks for deallocated objects when more than this number of topics have an object.
    private var mostObjectTopics = TopicTable.fewObjectTopics
    private static let fewObjectTopics = 64

    /// The object that is notified when topics are observed, or nil.
    let watcher: (any TopicWatcher)?

    package init(watcher: (any TopicWatcher)? = nil) {
        self.watcher = watcher
    }

    // MARK: Finding lists

    /// Returns the list of a topic, and makes the list if there is none.
    ///
    /// The list stays in the table at least until ``release(_:)`` is called for it.
    func reserve(_ topic: TopicKey, object: AnyObject?, events: Any.Type, record: ObservationRecord) -> TopicList {
        // An observer that selects a type gets values that are decoded to that type. So the list delivers that type.
        var events = ObjectIdentifier(events)
        if case .type(let decoded) = topic.subject { events = decoded }
        var made: TopicList?
        while true {
            var left: AnyObject?
            let found = lock.withLock { () -> TopicList? in
                let list = index.list(of: topic) ?? made
                guard let list else { return nil }
                if list === made {
                    left = index.insert(list)
                    if list.topic.object != nil { objectTopics.wrappingAdd(1, ordering: .relaxed) }
                }
                list.reservations += 1
                return list
            }
            if let left { record.retire(left) }
            guard let found else {
                made = TopicList(topic, object: object, events: events, in: self, keeping: record)
                continue
            }
            guard found.isOver else {
                if let watcher, !found.isWatched.load(ordering: .acquiring) {
                    watcher.topicWillBeObserved(topic.subject, ObjectIdentifier(found))
                    found.isWatched.store(true, ordering: .releasing)
                }
                if found === made { dropDeadTopics() }
                return found
            }
            // The list belongs to a deallocated object that had the same address.
            drop(found)
        }
    }

    /// Ends the reservation of a list that ``reserve(_:object:events:record:)`` has made.
    func release(_ list: TopicList) {
        if let watcher, list.topic.subject == .anyName { watcher.everyNameWasObserved() }
        let isRemoved = lock.withLock {
            list.reservations -= 1
            return removeUnused(list)
        }
        if isRemoved { didRemove(list) }
    }

    /// Returns the list of a topic, or nil if nobody observes the topic.
    func list(of topic: TopicKey) -> TopicList? {
        lock.withLock { index.list(of: topic) }
    }

    /// Returns `true` if a kind of events has observers, for every object or for the given one.
    func isObserved(_ subject: TopicKey.Subject, of object: AnyObject?) -> Bool {
        lock.withLock {
            if index.list(of: TopicKey(subject, nil)) != nil { return true }
            guard hasObjectTopics, let object else { return false }
            return index.list(of: TopicKey(subject, of: object)) != nil
        }
    }

    private var hasObjectTopics: Bool { objectTopics.load(ordering: .relaxed) > 0 }

    /// The number of observed topics.
    var topicCount: Int { lock.withLock { index.count } }

    /// The observations of all topics.
    var infos: [ObservationInfo] {
        let lists = lock.withLock { index.all }
        return lists.flatMap { $0.infos() }
    }

    // MARK: Removing lists

    /// Removes a list from the table, if it has no observers and no registration is using it.
    func removeIfUnused(_ list: TopicList) {
        if lock.withLock({ removeUnused(list) }) { didRemove(list) }
    }

    private func removeUnused(_ list: TopicList) -> Bool {
        list.reservations == 0 && list.isEmpty && remove(list)
    }

    /// Removes a list from the table, for a caller that holds the lock.
    ///
    /// - Returns: `true` if the list was in the table. The caller must then call ``didRemove(_:)`` outside the lock.
    private func remove(_ list: TopicList) -> Bool {
        guard index.remove(list) else { return false }
        if list.topic.object != nil { objectTopics.wrappingSubtract(1, ordering: .relaxed) }
        return true
    }

    private func didRemove(_ list: TopicList) {
        list.withRecord { $0.retire(list) }
        watcher?.topicWasForgotten(list.topic.subject, ObjectIdentifier(list))
    }

    /// Removes the list of a topic whose object is deallocated, and ends the topic's observations.
    private func drop(_ list: TopicList) {
        if lock.withLock({ remove(list) }) { didRemove(list) }
        for info in list.infos() { info.end(for: .objectDeinitialized) }
    }

    /// Removes the topics of deallocated objects, if there are many topics with an object.
    ///
    /// The table is searched only when it has twice as many of them as the last search has left.
    private func dropDeadTopics() {
        let candidates = lock.withLock { () -> [TopicList] in
            guard objectTopics.load(ordering: .relaxed) > mostObjectTopics else { return [] }
            mostObjectTopics = .max
            return index.all
        }
        if candidates.isEmpty { return }
        for list in candidates where list.isOver { drop(list) }
        lock.withLock { mostObjectTopics = max(Self.fewObjectTopics, objectTopics.load(ordering: .relaxed) * 2) }
    }

    /// Ends all observations of a source, which calls this in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing EventRegistrar<Event>) {
        guard let record = unsafe registrar.observers.record?.object else { return }
        // Each list is removed from the table with its last observer.
        record.subjectDidDie(lists: lock.withLock { index.all })
    }

    // MARK: Delivering

    /// Returns `true` if an object is in its `deinit`, so that no observer may get it.
    package static func isBeingDestroyed(_ object: AnyObject) -> Bool { unsafe Unretained(object).isBeingDestroyed }

    /// Delivers an event with a name to all observers of that name, of that object, of both, and of all events.
    ///
    /// - Parameters:
    ///   - observers: The registrar of the source.
    ///   - source: The source.
    ///   - subject: The name of the event.
    ///   - object: The object of the event, or nil.
    ///   - event: Makes the event. It is called only if there are observers.
    @inline(__always)
    func notify<Event>(
        _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject, of object: AnyObject?,
        event: () -> Event
    ) {
        guard let record = observers.record else { return }
        tell(in: record, subject, of: object, everything: observers.sourceList) { matches in
            var event = SourceEvent(source: Unretained(source), event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used only during the call.
                matches.tell(unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }

    /// Finds the observers that an event concerns, and passes them to a closure.
    ///
    /// An event concerns the observers of its kind, with any object or with the event's object. An event with a name also concerns the
    /// observers of every name, with any object or with the event's object.
    ///
    /// - Parameters:
    ///   - record: The record of the source, which holds its observations.
    ///   - subject: The kind of the event.
    ///   - object: The object of the event, or nil.
    ///   - everything: The list of the observers of every name with any object, for an event with a name; otherwise nil.
    ///   - tell: Makes the event, and delivers it to the observers that were found. It is called only if there are any.
    @inline(__always)
    func tell(
        in record: Unretained<ObservationRecord>, _ subject: TopicKey.Subject, of object: AnyObject?, everything: Unretained<ObserverList>?,
        _ tell: (TopicMatches) -> Void
    ) {
        unsafe record.with { record in
            guard let delivery = record.beginDelivery() else { return }
            var matches = TopicMatches(about: index.find(subject, nil, lock: lock), everything: everything, limit: record.currentSerial)
            if let object, hasObjectTopics { findObject(&matches, subject, object) }
            if !matches.isEmpty { tell(matches) }
            record.unpin(delivery.pin)
            withExtendedLifetime(delivery.keepAlive) {}
        }
    }

    @inline(never)
    private func findObject(_ matches: inout TopicMatches, _ subject: TopicKey.Subject, _ object: AnyObject) {
        matches.both = find(subject, object)
        if case .name = subject { matches.of = find(.anyName, object) }
    }

    /// Returns the list of a topic with an object, or nil if there is none.
    ///
    /// A list may belong to a deallocated object that had the same address. Such a list is removed, and the result is nil.
    private func find(_ subject: TopicKey.Subject, _ object: AnyObject) -> FoundTopic? {
        guard let found = index.find(subject, ObjectIdentifier(object), lock: lock) else { return nil }
        guard unsafe found.list.with({ $0.isOver }) else { return found }
        unsafe drop(found.list.object)
        return nil
    }
}

extension TopicTable {
    /// Delivers an event with a name to some of the observers that it concerns.
    ///
    /// - Parameters:
    ///   - audience: The observers that get the event.
    ///   - observers: The registrar of the source.
    ///   - source: The source.
    ///   - subject: The name of the event.
    ///   - object: The object of the event, or nil.
    ///   - event: Makes the event. It is called only if there are observers.
    func notify<Event>(
        _ audience: TopicAudience, _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject,
        of object: AnyObject?, event: () -> Event
    ) {
        if audience == .everybody { return notify(observers, from: source, about: subject, of: object, event: event) }
        guard let record = observers.record else { return }
        tell(in: record, subject, of: object, everything: observers.sourceList) { matches in
            var event = SourceEvent(source: Unretained(source), event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used only during the call.
                matches.tell(audience, unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }
}

/// A part of the observers that an event concerns.
///
/// Observers of every name can be divided into earlier and later ones, by a serial number in the order of registration. `present` is the
/// cutoff serial: observers that were registered after it do not get the event.
package enum TopicAudience: Equatable, Sendable {
    /// All observers that the event concerns.
    case everybody
    /// The observers of the event's name, and the later observers of every name.
    case named(andEveryNameAfter: UInt32, present: UInt32)
    /// The earlier observers of every name, up to a serial number.
    case everyName(upTo: UInt32, present: UInt32)
}

extension TopicTable {
    /// The number of the current thread.
    package static var thread: UInt { safekvo_thread() }
}

extension EventRegistrar {
    /// The serial number of the latest registration; every later one gets a larger number.
    // SAFETY: the registrar retains the record.
    package var topicSerial: UInt32 { unsafe observers.record?.with { $0.currentSerial } ?? 0 }
}
