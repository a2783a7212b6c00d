internal import Synchronization

/// The lists of the observers of each topic that anybody observes.
///
/// A list is made when its topic is first observed and goes with its last observer, so that names and objects may come and go without end.
package final class TopicTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` and the counts belong to `lock`; user code runs, and user objects are looked at, outside.

    private struct Entry {
        let list: ObserverList
        /// How many registrations have found the list and may still hang an info into it.
        var reservations = 0
    }

    private let lock = Lock()
    private var entries: [Topic: Entry] = [:]
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
                if entries[topic] != nil {
                    entries[topic]?.reservations += 1
                } else if let made {
                    entries[topic] = Entry(list: made, reservations: 1)
                    if topic.object != nil { objectTopics += 1 }
                }
                return entries[topic]?.list
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
        lock.withLock {
            guard entries[topic]?.list === list else { return }
            entries[topic]?.reservations -= 1
            removeEntryIfUnused(topic)
        }
    }

    /// The list of a topic, if anybody observes it.
    func list(of topic: Topic) -> ObserverList? {
        lock.withLock { entries[topic]?.list }
    }

    /// Whether anybody observes events of a kind, of an object or of any.
    func isObserved(_ subject: Topic.Subject, of object: AnyObject?) -> Bool {
        let (any, exact) = (Topic(subject, of: nil), object.map { Topic(subject, of: $0) })
        return lock.withLock { entries[any] != nil || exact.map { entries[$0] != nil } ?? false }
    }

    /// How many topics are observed.
    var topicCount: Int { lock.withLock { entries.count } }

    // MARK: Forgetting lists

    /// Takes a list out of the table whose last observer has gone.
    func removeIfUnused(_ list: ObserverList, _ topic: Topic) {
        lock.withLock {
            if entries[topic]?.list === list { removeEntryIfUnused(topic) }
        }
    }

    private func removeEntryIfUnused(_ topic: Topic) {
        guard let entry = entries[topic], entry.reservations == 0, entry.list.isEmpty else { return }
        removeEntry(topic)
    }

    private func removeEntry(_ topic: Topic) {
        entries[topic] = nil
        if topic.object != nil { objectTopics -= 1 }
    }

    /// Ends the observations of a topic whose object is gone.
    private func drop(_ list: ObserverList, _ topic: Topic) {
        lock.withLock {
            if entries[topic]?.list === list { removeEntry(topic) }
        }
        for info in list.infos() { info.end(for: .observedGone) }
    }

    /// Drops the topics whose objects are gone, each time when there are twice as many topics of objects as were left the last time.
    private func dropDeadTopics() {
        let candidates = lock.withLock { () -> [(Topic, ObserverList)] in
            guard objectTopics > mostObjectTopics else { return [] }
            mostObjectTopics = .max
            return entries.compactMap { $0.key.object == nil ? nil : ($0.key, $0.value.list) }
        }
        if candidates.isEmpty { return }
        for (topic, list) in candidates where list.hook?.isOver ?? false { drop(list, topic) }
        lock.withLock { mostObjectTopics = max(Self.fewObjectTopics, objectTopics * 2) }
    }

    /// Ends all observations of the source, in its `deinit`.
    package func sourceDidDie<Event>(_ registrar: borrowing ObservationRegistrar<Event>) {
        guard let record = registrar.observers.record else { return }
        let lists = lock.withLock { () -> [ObserverList] in
            defer { entries = [:] }
            return entries.values.map(\.list)
        }
        record.with { $0.subjectDidDie(lists: lists) }
    }

    // MARK: Telling

    /// Whether an object is in its `deinit`, so that it must not be handed out.
    package static func isBeingDestroyed(_ object: AnyObject) -> Bool { Unretained(object).isBeingDestroyed }

    /// Tells an event to those who asked for its kind, or its object, or both, or everything.
    ///
    /// - Parameters:
    ///   - event: A pointer to the event, with its source.
    ///   - subject: Its kind.
    ///   - object: Its object.
    ///   - everything: The list of those who asked for nothing in particular, if the event has a name: then those hear of it, too, who asked
    ///     for every name.
    ///   - box: Makes a copy of the event.
    func notify(
        _ event: EventPointer, about subject: Topic.Subject, of object: AnyObject?, everything: Unretained<ObserverList>?,
        box: (EventPointer) -> EventBox
    ) {
        let plain = Topic(subject, of: nil)
        var isNamed = true
        if case .type = subject { isNamed = false }
        var matches: Matches = lock.withLock {
            let about = entries.isEmpty ? nil : entries[plain]?.list
            guard let object, objectTopics > 0 else { return Matches(about: about) }
            return Matches(
                about: about, both: entries[Topic(subject, of: object)]?.list,
                of: isNamed ? entries[Topic(.anyName, of: object)]?.list : nil)
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
        // The lists are used without being retained: `matches` keeps them so long.
        withExtendedLifetime(matches) {
            guard let first = matches.first, var delivery = Delivery(to: Unretained(first)) else { return }
            if matches.isOne {
                delivery.deliver(event, onlyPrior: false, box: box)
            } else {
                delivery.deliver(event, to: matches.all.map { Unretained($0) }, box: box)
            }
            delivery.finish()
        }
    }

    /// The lists that an event concerns.
    private struct Matches {
        var about: ObserverList?
        var both: ObserverList?
        var of: ObserverList?
        var everything: ObserverList?

        var first: ObserverList? { about ?? both ?? of ?? everything }

        var isOne: Bool {
            (about == nil ? 0 : 1) + (both == nil ? 0 : 1) + (of == nil ? 0 : 1) + (everything == nil ? 0 : 1) == 1
        }

        var all: [ObserverList] { [about, both, of, everything].compactMap { $0 } }
    }
}
