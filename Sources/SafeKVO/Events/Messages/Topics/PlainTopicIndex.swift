#if SAFEKVO_PLAIN_LIST

    /// The lists of topics by topic, as anybody would write it: the oracle for ``LinkedTopicIndex``.
    final class PlainTopicIndex: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) everything belongs to the table's lock.

        private var lists: [TopicKey: TopicList] = [:]

        /// The list of a topic.
        func find(_ subject: TopicKey.Subject, _ object: ObjectIdentifier?, lock: borrowing Lock) -> FoundTopic? {
            lock.withLock { list(of: TopicKey(subject, object)) }.map { FoundTopic(kept: $0) }
        }

        // MARK: Under the lock

        func list(of topic: TopicKey) -> TopicList? { lists[topic] }

        func insert(_ list: TopicList) -> AnyObject? {
            lists[list.topic] = list
            return nil
        }

        func remove(_ list: TopicList) -> Bool {
            guard lists[list.topic] === list else { return false }
            lists[list.topic] = nil
            return true
        }

        var all: [TopicList] { Array(lists.values) }

        var count: Int { lists.count }
    }

#endif
