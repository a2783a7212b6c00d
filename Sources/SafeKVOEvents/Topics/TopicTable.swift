package import SafeKVO

/// A table with one list of observers for each observed topic of a source.
///
/// A *topic* selects events of a source by name or type, and optionally by object. A list is made when its topic is
/// first observed, and removed with the topic's last observer.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards all variables. No code of the program runs under the lock: the keys of the dictionary
    // consist of texts, numbers and identities. Whoever removes a list has a reference to it, which is released after unlocking. So no
    // object of the program is released under the lock.

    private let lock = Lock()
    // SAFETY: (of the unchecked exclusivity) each access holds the lock and runs no code of the program.
    @exclusivity(unchecked) private var topics: [TopicKey: ObservedTopic] = [:]
    /// The number of topics that select the events of one object.
    private var objectTopics = 0
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
    private func drop(_ topic: ObservedTopic) {
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
            record.duringDelivery {
                let matches = find(subject, object, everything, record)
                if !matches.isEmpty { tell(matches) }
            }
        }
    }

    @inline(__always)
    private func find(
        _ subject: TopicKey.Subject, _ object: AnyObject?, _ everything: Unretained<ObserverList>?, _ record: ObservationRecord
    ) -> TopicMatches {
        let (about, both, of) = lock.withLock { () -> (ObserverList?, ObservedTopic?, ObservedTopic?) in
            let about = unsafe topics[TopicKey(subject, nil)]?.list
            guard objectTopics > 0, let object else { return (about, nil, nil) }
            let both = unsafe topics[TopicKey(subject, of: object)]
            guard watcher == nil, case .name = subject else { return (about, both, nil) }
            return (about, both, unsafe topics[TopicKey(.anyName, of: object)])
        }
        // SAFETY: the source's record of observations owns this list, and the delivery in progress keeps the record alive.
        let all = everything.flatMap { unsafe $0.with { $0.isEmpty ? nil : $0 } }
        return TopicMatches(
            about: about, both: both.flatMap { living($0) }, of: of.flatMap { living($0) }, everything: all, limit: record.currentSerial)
    }

    /// Returns the list that was found for an object; removes it if it belongs to a deallocated object that had the same address.
    private func living(_ topic: ObservedTopic) -> ObserverList? {
        guard topic.topic.isOver else { return topic.list }
        drop(topic)
        return nil
    }
}

/// A topic: the name or type of the events that an observer selects, and optionally the object that the events are about.
package struct TopicKey: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// All events that have a name.
        case anyName
        case name(MessageName)
        case type(ObjectIdentifier)
    }

    package let subject: Subject
    /// `nil` selects events about any object or none.
    ///
    /// A new object can have the identity of a deallocated one. So the user of the key must compare the objects, too.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    /// Adds one number to the hasher instead of several, which would take longer.
    package func hash(into hasher: inout Hasher) {
        let address = object.map { UInt(bitPattern: $0) } ?? 0
        switch subject {
        case .anyName: hasher.combine(address)
        case .name(let name): hasher.combine(UInt(bitPattern: name.hash) &+ address)
        case .type(let type): hasher.combine(UInt(bitPattern: type) &* 3 &+ address)
        }
    }
}

/// The lists of the observers that match one event.
///
/// The lists stay in memory as long as this value, even if they lose their last observers meanwhile.
struct TopicMatches {
    /// The observers of the event's name or type, for any object.
    let about: ObserverList?
    /// The observers that registered for both the event's name (or type) and the event's object.
    let both: ObserverList?
    /// The observers that chose the event's object, but no name.
    let of: ObserverList?
    /// The observers of all events.
    let everything: ObserverList?
    /// Observers with a greater serial number were registered too late to get the event.
    let limit: UInt64

    var isEmpty: Bool { about == nil && both == nil && of == nil && everything == nil }

    /// Delivers an event to the matching observers.
    ///
    /// `box` copies the event for handlers that are called later.
    @inline(__always)
    func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
        switch (about, both, of, everything) {
        case (let list?, nil, nil, nil), (nil, let list?, nil, nil), (nil, nil, let list?, nil), (nil, nil, nil, let list?):
            list.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box)
        default:
            withExtendedLifetime((about, both, of, everything)) {
                ObserverList.deliver(event, to: [about, both, of, everything], upTo: limit, box: box)
            }
        }
    }
}
