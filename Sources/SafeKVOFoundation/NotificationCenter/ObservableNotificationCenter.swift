public import Foundation
public import SafeKVO

/// A `NotificationCenter` that is observed through an `ObservationController`.
///
/// ```swift
/// observations.observe(ObservableNotificationCenter.default, for: .albumDidChange, object: album) { view, notification in view.reload() }
/// ```
///
/// Whatever is posted to the `NotificationCenter`, by whomever, reaches these observers: those of the name, of the object, of both or of neither,
/// in the order in which they registered. Adding twice and removing twice harm nobody, dead observers are not called, a removal counts at once.
///
/// ## Lifetime
///
/// It keeps the `NotificationCenter`, and registers there for the names that are observed, each as long as anybody observes it; nobody handles a
/// token. It is kept by the controllers that observe it, unless they were made with `retainsObserved: false`.
///
/// ## Every name
///
/// An observer that passes `nil` for the name observes every name, also if it asks for one object. As long as there is such an observer, every
/// notification that is posted to the `NotificationCenter` comes through here.
///
/// - Warning: On Linux, Foundation ends the program when one of its own typed messages (`NotificationCenter.MainActorMessage` and
///   `NotificationCenter.AsyncMessage`) is posted while anybody observes every name, through this library or not. Observe names
///   in a program that posts them.
public final class ObservableNotificationCenter: TopicSource, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `NotificationCenter` and the table guard themselves, the registrar is atomic.

    /// The one for `NotificationCenter.default`.
    public static let `default` = ObservableNotificationCenter(.default)

    /// Where the observers are kept that asked for everything.
    public let eventRegistrar = EventRegistrar<Notification>()
    package let topics: TopicTable
    let relay: NotificationRelay

    /// The centre whose notifications are observed.
    public var center: NotificationCenter { relay.center }

    /// Makes a centre observable.
    ///
    /// To observe one thing twice by mistake and be told so, observe one object: make one of these for a `NotificationCenter`, and keep it.
    ///
    /// - Parameter center: The centre whose notifications are observed.
    public init(_ center: NotificationCenter) {
        relay = NotificationRelay(center)
        topics = TopicTable(watcher: relay)
        relay.source = self
    }

    /// Notifications are asked for by their name.
    public typealias Topic = Notification.Name?

    /// Notifications are asked for by the object that they were posted with.
    public typealias Sender = AnyObject?

    /// The notifications with a name and an object.
    public func _target(of topic: Notification.Name?, from sender: AnyObject?) -> _EventTarget {
        _EventTarget(topics, topic.map { .name(MessageName(rawValue: $0.rawValue)) } ?? .anyName, of: sender)
    }

    deinit {
        relay.end()
        topics.sourceDidDie(eventRegistrar)
    }

    /// Registers with the `NotificationCenter` for every name, if this is the first observation of every name.
    public func observationDidBegin(_ info: ObservationInfo) {
        relay.observationDidBegin(info)
    }

    /// Ends the registration for every name, if this was the last observation of every name.
    public func observationDidEnd(_ info: ObservationInfo) {
        relay.observationDidEnd(info)
    }

    /// Notifies observers.
    func relay(_ notification: Notification, to audience: TopicAudience) {
        var notification = notification
        var object = notification.object.map { $0 as AnyObject }
        if let dying = object, TopicTable.isBeingDestroyed(dying) {
            notification.object = nil
            object = nil
        }
        notify(audience, about: .name(MessageName(rawValue: notification.name.rawValue)), of: object) { notification }
    }
}
