package import SafeKVO

/// A table with one list of observers for each observed topic of a source.
///
/// A *topic* selects events of a source by name or type, and optionally by object. A list is made when its topic is
/// first observed, and removed with the topic's last observer.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards all variables. No code of the program runs under the lock: the keys of the dictionary
    // consist of texts, numbers and identities. Whoever removes a list has a reference to it, which is released after unlocking. So no
    // object of the program is released under the lock.

    let lock = Lock()
    // SAFETY: (of the unchecked exclusivity) each access holds the lock and runs no code of the program.
    @exclusivity(unchecked) var topics: [TopicKey: ObservedTopic] = [:]
    /// The number of topics that select the events of one object.
    var objectTopics = 0
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
    func reserve(_ key: TopicKey, object: AnyObject?, events: Any.Type, record: ObservationRecord) -> ObservedTopic {
        // Observers that select a type get values of that type, instead of the source's event type.
        var events = ObjectIdentifier(events)
        if case .type(let decoded) = key.subject { events = decoded }
        var made: ObservedTopic?
        while true {
            let found = lock.withLock { () -> ObservedTopic? in
                guard let found = unsafe topics[key] ?? made else { return nil }
                if found.topic === made?.topic {
                    unsafe topics[key] = found
                    if key.object != nil { objectTopics += 1 }
                }
                found.topic.reservations += 1
                return found
            }
            guard let found else {
                let topic = Topic(key, object: object, in: self)
                made = ObservedTopic(list: ObserverList(keeping: record, events: events, hook: topic), topic: topic)
                continue
            }
            guard found.topic.isOver else {
                watcher?.topicWillBeObserved(key.subject, ObjectIdentifier(found.topic))
                if found.topic === made?.topic { dropDeadTopics() }
                return found
            }
            // This list belongs to a deallocated object that had the same address. Remove the list and search again.
            drop(found)
        }
    }

    /// Ends the use of a list that `reserve` returned, and removes the list if nothing else uses it.
    func release(_ topic: ObservedTopic) {
        let isRemoved = lock.withLock {
            topic.topic.reservations -= 1
            return removeUnused(topic)
        }
        if isRemoved { didRemove(topic.topic) }
    }

    func list(of key: TopicKey) -> ObserverList? {
        lock.withLock { unsafe topics[key]?.list }
    }

    /// Returns `true` if a name or type has an observer, for any object or for `object`.
    func isObserved(_ subject: TopicKey.Subject, of object: AnyObject?) -> Bool {
        lock.withLock {
            if unsafe topics[TopicKey(subject, nil)] != nil { return true }
            guard objectTopics > 0, let object else { return false }
            return unsafe topics[TopicKey(subject, of: object)] != nil
        }
    }

    var topicCount: Int { lock.withLock { unsafe topics.count } }

    var infos: [ObservationInfo] {
        all.flatMap { $0.list.infos() }
    }

    private var all: [ObservedTopic] { lock.withLock { unsafe Array(topics.values) } }

    // MARK: Removing lists

    func removeIfUnused(_ topic: ObservedTopic) {
        if lock.withLock({ removeUnused(topic) }) { didRemove(topic.topic) }
    }

    private func removeUnused(_ topic: ObservedTopic) -> Bool {
        topic.topic.reservations == 0 && topic.list.isEmpty && remove(topic.topic)
    }

    /// Removes a topic from the table; returns `false` if the table does not contain it.
    ///
    /// The caller must hold the lock. After a removal, the caller must unlock and then call ``didRemove(_:)``.
    private func remove(_ topic: Topic) -> Bool {
        guard unsafe topics[topic.key]?.topic === topic else { return false }
        unsafe topics[topic.key] = nil
        if topic.key.object != nil { objectTopics -= 1 }
        return true
    }

    private func didRemove(_ topic: Topic) {
        watcher?.topicWasForgotten(topic.key.subject, ObjectIdentifier(topic))
    }

    /// Removes a topic whose object was deallocated, and ends its observations.
    func drop(_ topic: ObservedTopic) {
        if lock.withLock({ remove(topic.topic) }) { didRemove(topic.topic) }
        for info in topic.list.infos() { info.end(for: .objectDeinitialized) }
    }

    /// Removes the topics of deallocated objects, which would otherwise accumulate.
    ///
    /// To limit the cost, the search starts only when the number of topics with an object has doubled.
    private func dropDeadTopics() {
        let candidates = lock.withLock { () -> [ObservedTopic] in
            guard objectTopics > mostObjectTopics else { return [] }
            mostObjectTopics = .max
            return unsafe Array(topics.values)
        }
        if candidates.isEmpty { return }
        for topic in candidates where topic.topic.isOver { drop(topic) }
        lock.withLock { mostObjectTopics = max(Self.fewObjectTopics, objectTopics * 2) }
    }

    /// Ends all observations of a source.
    ///
    /// The source calls this function in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing EventRegistrar<Event>) {
        guard let record = registrar.observers.record else { return }
        record.subjectDidDie(lists: all.map(\.list))
    }
}
