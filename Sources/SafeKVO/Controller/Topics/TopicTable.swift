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
    @exclusivity(unchecked) private var lists: [TopicKey: TopicList] = [:]
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
    func reserve(_ topic: TopicKey, object: AnyObject?, events: Any.Type, record: ObservationRecord) -> TopicList {
        // Observers that select a type get values of that type, instead of the source's event type.
        var events = ObjectIdentifier(events)
        if case .type(let decoded) = topic.subject { events = decoded }
        var made: TopicList?
        while true {
            let found = lock.withLock { () -> TopicList? in
                guard let list = unsafe lists[topic] ?? made else { return nil }
                if list === made {
                    unsafe lists[topic] = list
                    if topic.object != nil { objectTopics += 1 }
                }
                list.reservations += 1
                return list
            }
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
        lock.withLock { unsafe lists[topic] }
    }

    /// Returns `true` if a name or type has an observer, for any object or for `object`.
    func isObserved(_ subject: TopicKey.Subject, of object: AnyObject?) -> Bool {
        lock.withLock {
            if unsafe lists[TopicKey(subject, nil)] != nil { return true }
            guard objectTopics > 0, let object else { return false }
            return unsafe lists[TopicKey(subject, of: object)] != nil
        }
    }

    var topicCount: Int { lock.withLock { unsafe lists.count } }

    var infos: [ObservationInfo] {
        all.flatMap { $0.infos() }
    }

    private var all: [TopicList] { lock.withLock { unsafe Array(lists.values) } }

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
        guard unsafe lists[list.topic] === list else { return false }
        unsafe lists[list.topic] = nil
        if list.topic.object != nil { objectTopics -= 1 }
        return true
    }

    private func didRemove(_ list: TopicList) {
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
            guard objectTopics > mostObjectTopics else { return [] }
            mostObjectTopics = .max
            return unsafe Array(lists.values)
        }
        if candidates.isEmpty { return }
        for list in candidates where list.isOver { drop(list) }
        lock.withLock { mostObjectTopics = max(Self.fewObjectTopics, objectTopics * 2) }
    }

    /// Ends all observations of a source.
    ///
    /// The source calls this function in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing EventRegistrar<Event>) {
        guard let record = registrar.observers.record else { return }
        record.subjectDidDie(lists: all)
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
            let matches = find(subject, object, everything, record)
            if !matches.isEmpty { tell(matches) }
            record.unpin(delivery.pin)
            withExtendedLifetime(delivery.keepAlive) {}
        }
    }

    @inline(__always)
    private func find(
        _ subject: TopicKey.Subject, _ object: AnyObject?, _ everything: Unretained<ObserverList>?, _ record: ObservationRecord
    ) -> TopicMatches {
        let (about, both, of) = lock.withLock { () -> (TopicList?, TopicList?, TopicList?) in
            let about = unsafe lists[TopicKey(subject, nil)]
            guard objectTopics > 0, let object else { return (about, nil, nil) }
            let both = unsafe lists[TopicKey(subject, of: object)]
            guard watcher == nil, case .name = subject else { return (about, both, nil) }
            return (about, both, unsafe lists[TopicKey(.anyName, of: object)])
        }
        // SAFETY: the source's record of observations owns this list, and the delivery in progress keeps the record alive.
        let all = everything.flatMap { unsafe $0.with { $0.isEmpty ? nil : $0 } }
        return TopicMatches(
            about: about, both: both.flatMap { living($0) }, of: of.flatMap { living($0) }, everything: all, limit: record.currentSerial)
    }

    /// Returns a list that was found for an object; removes the list if it belongs to a deallocated object that had the same address.
    private func living(_ list: TopicList) -> TopicList? {
        guard list.isOver else { return list }
        drop(list)
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
                ObserverList.deliver(event, from: [about, both, of, everything].map { $0?.chain.first }, upTo: limit, box: box)
            }
        }
    }
}
