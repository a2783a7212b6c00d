internal import Synchronization

/// The lists of the observers of each topic that anybody observes.
///
/// A list is made when its topic is first observed and goes with its last observer, so that names and objects may come and go without end.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `index` and the counts belong to `lock`; user code runs, and user objects are looked at, outside.

    private let lock = Lock()
    private var index = TopicIndex()
    /// How many topics have an object.
    private var objectTopics = 0
    /// How many there may be before they are looked through for objects that are gone.
    private var mostObjectTopics = TopicTable.fewObjectTopics
    private static let fewObjectTopics = 64

    /// Who wants to know what is observed.
    let watcher: (any TopicWatcher)?

    package init(watcher: (any TopicWatcher)? = nil) {
        self.watcher = watcher
    }

    // MARK: Finding lists

    /// The list of a topic, made if there is none, and kept in the table until ``release(_:_:)``.
    func reserve(_ topic: Topic, object: AnyObject?, record: ObservationRecord) -> ObserverList {
        var made: ObserverList?
        while true {
            let found = lock.withLock { () -> ObserverList? in
                if let place = index.place(of: topic.subject, topic.object) {
                    index.reserve(at: place, 1)
                    return index.entry(at: place)?.list
                }
                guard let made else { return nil }
                index.insert(TopicIndex.Entry(topic: topic, list: made, reservations: 1))
                if topic.object != nil { objectTopics += 1 }
                return made
            }
            guard let found else {
                made = ObserverList(keeping: record, hook: TopicHook(topic, object: object, in: self))
                continue
            }
            guard let hook = found.hook, hook.isOver else {
                if found === made { dropDeadTopics() }
                return found
            }
            // The topic of another object, which was at this address.
            drop(found, topic)
        }
    }

    /// Ends a reservation.
    func release(_ list: ObserverList, _ topic: Topic) {
        let removed = lock.withLock { () -> TopicIndex.Entry? in
            guard let place = place(of: list, topic) else { return nil }
            index.reserve(at: place, -1)
            return removeIfUnused(at: place)
        }
        _ = consume removed
    }

    /// The list of a topic, if anybody observes it.
    func list(of topic: Topic) -> ObserverList? {
        lock.withLock { index.list(of: topic.subject, topic.object) }
    }

    /// Whether anybody observes events of a kind, of an object or of any.
    func isObserved(_ subject: Topic.Subject, of object: AnyObject?) -> Bool {
        let object = object.map { ObjectIdentifier($0) }
        return lock.withLock {
            if index.place(of: subject, nil) != nil { return true }
            return objectTopics > 0 && object != nil && index.place(of: subject, object) != nil
        }
    }

    /// How many topics are observed.
    var topicCount: Int { lock.withLock { index.count } }

    /// All observers of topics.
    var infos: [ObservationInfo] {
        let entries = lock.withLock { index.all }
        return entries.flatMap { $0.list.infos() }
    }

    // MARK: Forgetting lists

    /// Takes a list out of the table whose last observer has gone.
    func removeIfUnused(_ list: ObserverList, _ topic: Topic) {
        let removed = lock.withLock { place(of: list, topic).flatMap { removeIfUnused(at: $0) } }
        _ = consume removed
    }

    /// The place of a topic, if this is its list (under the lock).
    private func place(of list: ObserverList, _ topic: Topic) -> Int? {
        index.place(of: topic.subject, topic.object).flatMap { index.entry(at: $0)?.list === list ? $0 : nil }
    }

    private func removeIfUnused(at place: Int) -> TopicIndex.Entry? {
        guard let entry = index.entry(at: place), entry.reservations == 0, entry.list.isEmpty else { return nil }
        return remove(at: place)
    }

    private func remove(at place: Int) -> TopicIndex.Entry? {
        let removed = index.remove(at: place)
        if removed?.topic.object != nil { objectTopics -= 1 }
        return removed
    }

    /// Ends the observations of a topic whose object is gone.
    private func drop(_ list: ObserverList, _ topic: Topic) {
        let removed = lock.withLock { place(of: list, topic).flatMap { remove(at: $0) } }
        _ = consume removed
        for info in list.infos() { info.end(for: .observedGone) }
    }

    /// Drops the topics whose objects are gone, each time when there are twice as many topics of objects as were left the last time.
    private func dropDeadTopics() {
        let candidates = lock.withLock { () -> [(Topic, ObserverList)] in
            guard objectTopics > mostObjectTopics else { return [] }
            mostObjectTopics = .max
            return index.all.compactMap { $0.topic.object == nil ? nil : ($0.topic, $0.list) }
        }
        if candidates.isEmpty { return }
        for (topic, list) in candidates where list.hook?.isOver ?? false { drop(list, topic) }
        lock.withLock { mostObjectTopics = max(Self.fewObjectTopics, objectTopics * 2) }
    }

    /// Ends all observations of the source, in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing ObservationRegistrar<Event>) {
        guard let record = registrar.observers.record else { return }
        let entries = lock.withLock { index.removeAll() }
        record.with { $0.subjectDidDie(lists: entries.map(\.list)) }
    }

    // MARK: Telling

    /// Whether an object is in its `deinit`, so that it must not be handed out.
    package static func isBeingDestroyed(_ object: AnyObject) -> Bool { Unretained(object).isBeingDestroyed }

    /// Who asked for an event's kind, or its object, or both, or everything; nil if nobody did.
    ///
    /// - Parameters:
    ///   - subject: Its kind.
    ///   - object: Its object.
    ///   - everything: The list of those who asked for nothing in particular, if the event has a name: then those hear of it, too, who asked
    ///     for every name.
    /// - Returns: the lists.
    func matches(_ subject: Topic.Subject, of object: AnyObject?, everything: Unretained<ObserverList>?) -> Matches? {
        var isNamed = true
        if case .type = subject { isNamed = false }
        var matches: Matches = lock.withLock {
            let about = index.list(of: subject, nil)
            guard objectTopics > 0, let object = object.map({ ObjectIdentifier($0) }) else { return Matches(about: about) }
            return Matches(
                about: about, both: index.list(of: subject, object), of: isNamed ? index.list(of: .anyName, object) : nil)
        }
        if let list = matches.both, let object, list.hook?.isOver ?? false {
            drop(list, Topic(subject, of: object))
            matches.both = nil
        }
        if let list = matches.of, let object, list.hook?.isOver ?? false {
            drop(list, Topic(.anyName, of: object))
            matches.of = nil
        }
        matches.everything = everything.flatMap { $0.with { $0.isEmpty } ? nil : $0.object }
        return matches.first == nil ? nil : matches
    }

    /// The lists that an event concerns.
    struct Matches {
        var about: ObserverList?
        var both: ObserverList?
        var of: ObserverList?
        var everything: ObserverList?

        var first: ObserverList? { about ?? both ?? of ?? everything }

        var isOne: Bool {
            (about == nil ? 0 : 1) + (both == nil ? 0 : 1) + (of == nil ? 0 : 1) + (everything == nil ? 0 : 1) == 1
        }

        var all: [ObserverList] { [about, both, of, everything].compactMap { $0 } }

        /// Tells them an event.
        ///
        /// - Parameters:
        ///   - event: A pointer to the event, with its source.
        ///   - box: Makes a copy of the event.
        func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
            // The lists are used without being retained: `self` keeps them so long.
            withExtendedLifetime(self) {
                guard let first, var delivery = Delivery(to: Unretained(first)) else { return }
                if isOne {
                    delivery.deliver(event, onlyPrior: false, box: box)
                } else {
                    delivery.deliver(event, to: all.map { Unretained($0) }, box: box)
                }
                delivery.finish()
            }
        }
    }
}
