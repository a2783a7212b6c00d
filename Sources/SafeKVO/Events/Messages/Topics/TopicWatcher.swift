/// Somebody who must begin something to notice the events of a topic, and may end it when nobody asks for them any more.
///
/// The calls come after the fact and under no lock, so that of two threads the later may be told first: count, and do not toggle.
package protocol TopicWatcher: AnyObject, Sendable {
    func topicWasObserved(_ subject: Topic.Subject)
    func topicWasUnobserved(_ subject: Topic.Subject)
}
