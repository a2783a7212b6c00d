#if SAFEKVO_PLAIN_LIST

    /// The lists of topics by topic, as anybody would write it: the oracle for ``LinkedTopicIndex``.
    final class PlainTopicIndex: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) everything belongs to the table's lock.

        private var lists: [Topic: ObserverList] = [:]

        /// The list of a topic.
        func find(_ subject: Topic.Subject, _ object: ObjectIdentifier?, lock: borrowing Lock) -> FoundTopic? {
            lock.withLock { list(of: Topic(subject, object)) }.map { FoundTopic(kept: $0) }
        }

        // MARK: Under the lock

        func list(of topic: Topic) -> ObserverList? { lists[topic] }

        func insert(_ list: ObserverList, _ topic: Topic) -> AnyObject? {
            lists[topic] = list
            return nil
        }

        func remove(_ list: ObserverList, _ topic: Topic) -> Bool {
            guard lists[topic] === list else { return false }
            lists[topic] = nil
            return true
        }

        var all: [ObserverList] { Array(lists.values) }

        var count: Int { lists.count }
    }

#endif
