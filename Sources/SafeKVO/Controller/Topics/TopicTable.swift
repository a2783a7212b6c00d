internal import CSafeKVO
internal import Synchronization

/// The lists of the observers of each topic that anybody observes.
///
/// A list is made when its topic is first observed and goes with its last observer, so that names and objects may come and go without end.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `index` is changed, and the counts belong to, `lock`; user code runs, and user objects are looked at,
    // outside.

    private let lock = Lock()
    private let index = TopicIndex()
    /// How many topics have an object.
    private let objectTopics = Atomic<Int>(0)
    /// How many there may be before they are looked through for objects that are gone.
    private var mostObjectTopics = TopicTable.fewObjectTopics
    private static let fewObjectTopics = 64

    /// Who wants to know what is observed.
    let watcher: (any TopicWatcher)?

    package init(watcher: (any TopicWatcher)? = nil) {
        self.watcher = watcher
    }

    // MARK: Finding lists

    /// The list of a topic, made if there is none, and kept in the table until ``release(_:)``.
    func reserve(_ topic: TopicKey, object: AnyObject?, events: Any.Type, record: ObservationRecord) -> TopicList {
        // What is decoded to a type is delivered as that.
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
            // The topic of another object, which was at this address.
            drop(found)
        }
    }

    /// Ends a reservation.
    func release(_ list: TopicList) {
        if let watcher, list.topic.subject == .anyName { watcher.everyNameWasObserved() }
        let isRemoved = lock.withLock {
            list.reservations -= 1
            return removeUnused(list)
        }
        if isRemoved { didRemove(list) }
    }

    /// The list of a topic, if anybody observes it.
    func list(of topic: TopicKey) -> TopicList? {
        lock.withLock { index.list(of: topic) }
    }

    /// Whether anybody observes events of a kind, of an object or of any.
    func isObserved(_ subject: TopicKey.Subject, of object: AnyObject?) -> Bool {
        lock.withLock {
            if index.list(of: TopicKey(subject, nil)) != nil { return true }
            guard hasObjectTopics, let object else { return false }
            return index.list(of: TopicKey(subject, of: object)) != nil
        }
    }

    private var hasObjectTopics: Bool { objectTopics.load(ordering: .relaxed) > 0 }

    /// How many topics are observed.
    var topicCount: Int { lock.withLock { index.count } }

    /// All observers of topics.
    var infos: [ObservationInfo] {
        let lists = lock.withLock { index.all }
        return lists.flatMap { $0.infos() }
    }

    // MARK: Forgetting lists

    /// Takes a list out of the table whose last observer has gone.
    func removeIfUnused(_ list: TopicList) {
        if lock.withLock({ removeUnused(list) }) { didRemove(list) }
    }

    private func removeUnused(_ list: TopicList) -> Bool {
        list.reservations == 0 && list.isEmpty && remove(list)
    }

    /// Takes a list out of the table (under the lock).
    ///
    /// - Returns: whether it was there: then ``didRemove(_:)`` must be called.
    private func remove(_ list: TopicList) -> Bool {
        guard index.remove(list) else { return false }
        if list.topic.object != nil { objectTopics.wrappingSubtract(1, ordering: .relaxed) }
        return true
    }

    private func didRemove(_ list: TopicList) {
        list.withRecord { $0.retire(list) }
        watcher?.topicWasForgotten(list.topic.subject, ObjectIdentifier(list))
    }

    /// Ends the observations of a topic whose object is gone.
    private func drop(_ list: TopicList) {
        if lock.withLock({ remove(list) }) { didRemove(list) }
        for info in list.infos() { info.end(for: .objectDeinitialized) }
    }

    /// Drops the topics whose objects are gone, each time when there are twice as many topics of objects as were left the last time.
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

    /// Ends all observations of the source, in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing EventRegistrar<Event>) {
        guard let record = unsafe registrar.observers.record?.object else { return }
        // Each list goes with its last observer.
        record.subjectDidDie(lists: lock.withLock { index.all })
    }

    // MARK: Telling

    /// Whether an object is in its `deinit`, so that it must not be handed out.
    package static func isBeingDestroyed(_ object: AnyObject) -> Bool { unsafe Unretained(object).isBeingDestroyed }

    /// Tells an event that has a name to those who asked for that name, or for that object, or for both, or for nothing in particular.
    ///
    /// - Parameters:
    ///   - observers: The source's registrar.
    ///   - source: The source.
    ///   - subject: The event's name.
    ///   - object: Its object.
    ///   - event: Makes the event, if anybody asked for it.
    @inline(__always)
    func notify<Event>(
        _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject, of object: AnyObject?,
        event: () -> Event
    ) {
        guard let record = observers.record else { return }
        tell(in: record, subject, of: object, everything: observers.sourceList) { matches in
            var event = SourceEvent(source: Unretained(source), event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used during the call only.
                matches.tell(unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }

    /// Tells an event to those who asked for its kind, or its object, or both, or everything.
    ///
    /// - Parameters:
    ///   - record: The source's record.
    ///   - subject: The event's kind.
    ///   - object: Its object.
    ///   - everything: The list of those who asked for nothing in particular, if the event has a name: then those hear of it, too, who asked
    ///     for every name.
    ///   - tell: Makes the event, and tells it to who is found.
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

    /// The list of a topic with an object, unless that is a former object, which was at the same address.
    private func find(_ subject: TopicKey.Subject, _ object: AnyObject) -> FoundTopic? {
        guard let found = index.find(subject, ObjectIdentifier(object), lock: lock) else { return nil }
        guard unsafe found.list.with({ $0.isOver }) else { return found }
        unsafe drop(found.list.object)
        return nil
    }
}

extension TopicTable {
    /// Notifies some of the observers that an event with a name concerns.
    ///
    /// - Parameters:
    ///   - audience: Which observers.
    ///   - observers: The source's registrar.
    ///   - source: The source.
    ///   - subject: The event's name.
    ///   - object: Its object.
    ///   - event: Makes the event, if anybody asked for it.
    func notify<Event>(
        _ audience: TopicAudience, _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject,
        of object: AnyObject?, event: () -> Event
    ) {
        if audience == .everybody { return notify(observers, from: source, about: subject, of: object, event: event) }
        guard let record = observers.record else { return }
        tell(in: record, subject, of: object, everything: observers.sourceList) { matches in
            var event = SourceEvent(source: Unretained(source), event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used during the call only.
                matches.tell(audience, unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }
}

/// The observers that are to be notified of an event, of all those that it concerns.
///
/// Observers of every name are divided by their place in the order of registration.
package enum TopicAudience: Equatable, Sendable {
    /// All.
    case everybody
    /// The observers of the name, and those of every name whose place is behind a serial number, that were registered by a moment.
    case named(andEveryNameAfter: UInt32, present: UInt32)
    /// The observers of every name, up to a place, that were registered by a moment.
    case everyName(upTo: UInt32, present: UInt32)
}

extension TopicTable {
    /// The number of the present thread.
    package static var thread: UInt { safekvo_thread() }
}

extension EventRegistrar {
    /// The number of the last registration; every later one has a larger number.
    // SAFETY: the registrar keeps the record.
    package var topicSerial: UInt32 { unsafe observers.record?.with { $0.currentSerial } ?? 0 }
}
