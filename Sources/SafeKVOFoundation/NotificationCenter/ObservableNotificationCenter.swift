public import Foundation
public import SafeKVO
public import SafeKVOEvents

/// A `NotificationCenter` that an `ObservationController` can observe.
///
/// ```swift
/// let center = ObservableNotificationCenter.default
/// observations.observe(center, for: .albumDidChange, object: album) {
///     view, notification in
///     view.reload()
/// }
/// ```
///
/// Observers get every matching notification that any code posts to the `NotificationCenter`. They can choose a name, an object, both or
/// neither. A repeated registration or removal does no harm. A deallocated observer is not called. A removal takes effect at once.
///
/// ## Order
///
/// The observers of one name are called in the order in which they registered, whether they chose an object or not. So are the observers
/// that passed `nil` for the name. Between the two groups there is no order: Foundation decides which group is called first. An observer that
/// a handler of the one group adds to the other may get the notification that is being posted.
///
/// ## Lifetime
///
/// This object retains the `NotificationCenter`. It registers there once for each name that has observers, and once for every name while
/// an observer passes `nil` for the name. It ends each registration after the last observer was removed.
/// The controllers that observe this object retain it, unless they were made with `retainsObserved: false`.
///
/// ## Threads
///
/// Any thread may post. So a handler is isolated to an actor, or captures only what is `Sendable`, and its observer is `Sendable`.
///
/// ## Every name
///
/// An observer that passes `nil` for the name observes all names, even if it chooses one object. While there is such an observer, this
/// object gets every notification that is posted to the `NotificationCenter`.
///
/// - Warning: On Linux, Foundation has typed messages (`NotificationCenter.MainActorMessage` and `NotificationCenter.AsyncMessage`). It
///   ends the program if one of its own typed messages is posted while any code observes all names. In a program that posts them, observe
///   single names.
public final class ObservableNotificationCenter: SharedObservationSource, TopicSource, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `NotificationCenter`, `relay` and `topics` have their own locks, and the registrar is atomic.

    /// The observable center for `NotificationCenter.default`.
    public static let `default` = ObservableNotificationCenter(.default)

    /// The storage of the observations of this center's notifications.
    public let eventRegistrar = EventRegistrar<Notification>()
    package let topics: TopicTable
    let relay: NotificationRelay

    /// The notification center whose notifications are observed.
    public var center: NotificationCenter { relay.center }

    /// Makes a notification center observable.
    ///
    /// Make one such object for each `NotificationCenter` and keep it. A controller recognizes a repeated registration only if both
    /// registrations use the same object.
    public init(_ center: NotificationCenter) {
        relay = NotificationRelay(center)
        topics = TopicTable(watcher: relay)
        relay.source = self
    }

    /// The type of a topic: the name of a notification.
    public typealias Topic = Notification.Name?

    /// The type of a sender: the object with which a notification is posted.
    public typealias Sender = AnyObject?

    /// Returns the observation target for notifications with a name and an object; `nil` stands for any name or object.
    public func _target(of topic: Notification.Name?, from sender: AnyObject?) -> _EventTarget {
        _EventTarget(topic.map { .name(MessageName(rawValue: $0.rawValue)) } ?? .anyName, of: sender, from: self)
    }

    deinit {
        topics.sourceDidDie(eventRegistrar)
    }

    func relay(_ notification: Notification, about subject: TopicKey.Subject) {
        var notification = notification
        var object = notification.object.map { $0 as AnyObject }
        if let dying = object, isBeingDestroyed(dying) {
            notification.object = nil
            object = nil
        }
        notify(about: subject, of: object) { notification }
    }
}
