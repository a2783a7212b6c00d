/// An object that must begin something to notice the events of a topic, and may end it when nobody observes them any more.
///
/// The calls are made under no lock.
package protocol TopicWatcher: AnyObject, Sendable {
    /// Called before an observer is added to a topic, on each thread that adds one before the call has returned on another.
    ///
    /// When it returns, events of the topic must be noticed.
    ///
    /// - Parameters:
    ///   - subject: The kind of events.
    ///   - topic: What identifies the topic until it is forgotten.
    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
    /// Called after an observer was added to a topic of every name.
    func everyNameWasObserved()
    /// Called once, when a topic has lost its last observer.
    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
}
