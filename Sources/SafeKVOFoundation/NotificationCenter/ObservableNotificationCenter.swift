public import Foundation
public import SafeKVO

/// A `NotificationCenter` that is observed through an `ObservationController`.
///
/// ```swift
/// observations.observe(ObservableNotificationCenter.default, .albumDidChange, object: album) { view, notification in view.reload() }
/// ```
///
/// Whatever is posted to the `NotificationCenter`, by whomever, reaches these observers: those of the name, of the object, of both or of neither,
/// in the order in which they registered. Adding twice and removing twice harm nobody, dead observers are not called, a removal counts at once.
///
/// ## Lifetime
///
/// It keeps the `NotificationCenter`, and registers there once, as long as anybody observes; nobody handles a token. It is kept by the
/// controllers that observe it, unless they were made with `retainsObserved: false`.
public final class ObservableNotificationCenter: TopicSource, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `NotificationCenter` and the table guard themselves, the registrar is atomic.

    /// The one for `NotificationCenter.default`.
    public static let `default` = ObservableNotificationCenter(.default)

    /// Where the observers are kept that asked for everything.
    public let observationRegistrar = ObservationRegistrar<Notification>()
    package let topics: TopicTable
    private let relay: NotificationRelay

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

    deinit {
        relay.end()
        topics.sourceDidDie(observationRegistrar)
    }

    /// Begins to listen, if this is the first observation.
    public func attach(_ info: ObservationInfo) {
        relay.topicWasObserved(.anyName)
    }

    /// Listens no longer, if this was the last observation.
    public func detach(_ info: ObservationInfo) {
        relay.topicWasUnobserved(.anyName)
    }

    /// Tells the observers.
    func relay(_ notification: Notification) {
        var notification = notification
        var object = notification.object.map { $0 as AnyObject }
        if let dying = object, TopicTable.isBeingDestroyed(dying) {
            notification.object = nil
            object = nil
        }
        notify(about: .name(MessageName(rawValue: notification.name.rawValue)), of: object) { notification }
    }
}
