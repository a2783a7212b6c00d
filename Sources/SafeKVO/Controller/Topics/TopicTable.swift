internal import Synchronization

/// A table with one list of observers for each observed topic of a source.
///
/// A *topic* selects events of a source by name or type, and optionally by object. A list is made when its topic is
/// first observed, and removed with the topic's last observer.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `mostObjectTopics` and every change of `index`. `objectTopics`
    // is atomic. No code outside the library runs under the lock.

    private let lock = Lock()
    private let index = TopicIndex()
    private let objectTopics = Atomic<Int>(0)
    private var mostObjectTopics = TopicTable.fewObjectTopics
    private static let fewObjectTopics = 64

    let watcher: (any TopicWatcher)?

    package init(watcher: (any TopicWatcher)? = nil) {
        self.watcher = watcher
    }

    // MARK: Finding lists

    /// Returns the list of a topic's observers, and makes the list if there is none.
    ///
    /// The list stays in the table at least until the caller calls ``release(_:)`` after the registration.
    func reserve(_ topic: TopicKey, object: AnyObject?, events: Any.Type, record: ObservationRecord) -> TopicList {
        // Observers that select a type get values of that type, instead of the source's event type.
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
                watcher?.topicWillBeObserved(topic.subject, ObjectIdentifier(found))
                if found === made { dropDeadTopics() }
                return found
            }
            // This list belongs to a deallocated object that had the same address. Remove the list and search again.
            drop(found)
        }
    }

    /// Ends the use of a list that `reserve` returned, and removes the list if nothing else uses it.
    func release(_ list: TopicList) {
        let isRemoved = lock.withLock {
            list.reservations -= 1
            return removeUnused(list)
        }
        if isRemoved { didRemove(list) }
    }

    func list(of topic: TopicKey) -> TopicList? {
        lock.withLock { index.list(of: topic) }
    }

    /// Returns `true` if a name or type has an observer, for any object or for `object`.
    func isObserved(_ subject: TopicKey.Subject, of object: AnyObject?) -> Bool {
        lock.withLock {
            if index.list(of: TopicKey(subject, nil)) != nil { return true }
            guard hasObjectTopics, let object else { return false }
            return index.list(of: TopicKey(subject, of: object)) != nil
        }
    }

    private var hasObjectTopics: Bool { objectTopics.load(ordering: .relaxed) > 0 }

    var topicCount: Int { lock.withLock { index.count } }

    var infos: [ObservationInfo] {
        let lists = lock.withLock { index.all }
        return lists.flatMap { $0.infos() }
    }

    // MARK: Removing lists

    func removeIfUnused(_ list: TopicList) {
        if lock.withLock({ removeUnused(list) }) { didRemove(list) }
    }

    private func removeUnused(_ list: TopicList) -> Bool {
        list.reservations == 0 && list.isEmpty && remove(list)
    }

    /// Removes a topic's list from the table; returns `false` if the table does not contain the list.
    ///
    /// The caller must hold the lock. After a removal, the caller must unlock and then call ``didRemove(_:)``.
    private func remove(_ list: TopicList) -> Bool {
        guard index.remove(list) else { return false }
        if list.topic.object != nil { objectTopics.wrappingSubtract(1, ordering: .relaxed) }
        return true
    }

    private func didRemove(_ list: TopicList) {
        list.withRecord { $0.retire(list) }
        watcher?.topicWasForgotten(list.topic.subject, ObjectIdentifier(list))
    }

    /// Removes the list of a topic whose object was deallocated, and ends the topic's observations.
    private func drop(_ list: TopicList) {
        if lock.withLock({ remove(list) }) { didRemove(list) }
        for info in list.infos() { info.end(for: .objectDeinitialized) }
    }

    /// Removes the topics of deallocated objects, which would otherwise accumulate.
    ///
    /// To limit the cost, the search starts only when the number of topics with an object has doubled.
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

    /// Ends all observations of a source.
    ///
    /// The source calls this function in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing EventRegistrar<Event>) {
        guard let record = registrar.observers.record else { return }
        record.subjectDidDie(lists: lock.withLock { index.all })
    }

    // MARK: Delivering

    /// Delivers an event to its observers.
    ///
    /// The closure `event` is called only if there are observers.
    @inline(__always)
    func notify<Event>(
        _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject, of object: AnyObject?,
        event: () -> Event
    ) {
        tell(in: observers, subject, of: object, everything: observers.sourceList) { matches in
            EventPointer.with(SourceEvent(source: Unretained(source), event: event())) { matches.tell($0, box: $1) }
        }
    }

    /// Finds the observers of an event.
    ///
    /// If there are any, the closure `tell` delivers the event to them.
    ///
    /// `everything` is the list of the observers of all events.
    @inline(__always)
    func tell(
        in observers: borrowing ObserverRegistrar, _ subject: TopicKey.Subject, of object: AnyObject?,
        everything: Unretained<ObserverList>?, _ tell: (TopicMatches) -> Void
    ) {
        observers.withRecord { record in
            guard let delivery = record.beginDelivery() else { return }
            var matches = TopicMatches(about: index.find(subject, nil), everything: everything, limit: record.currentSerial)
            if let object, hasObjectTopics { findObject(&matches, subject, object) }
            if !matches.isEmpty { tell(matches) }
            record.unpin(delivery.pin)
            withExtendedLifetime(delivery.keepAlive) {}
        }
    }

    @inline(never)
    private func findObject(_ matches: inout TopicMatches, _ subject: TopicKey.Subject, _ object: AnyObject) {
        matches.both = find(subject, object)
        if watcher == nil, case .name = subject { matches.of = find(.anyName, object) }
    }

    /// Returns the list of a topic of one object, or `nil` if there is none.
    ///
    /// If the list belongs to a deallocated object that had the same address, the list is removed instead.
    private func find(_ subject: TopicKey.Subject, _ object: AnyObject) -> FoundTopic? {
        guard let found = index.find(subject, ObjectIdentifier(object)) else { return nil }
        guard let left = found.with({ $0.isOver ? $0 : nil }) else { return found }
        drop(left)
        return nil
    }
}
