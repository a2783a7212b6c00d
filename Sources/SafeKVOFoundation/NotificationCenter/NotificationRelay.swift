internal import Foundation
internal import SafeKVO
internal import SafeKVOEvents

/// Receives the notifications of a `NotificationCenter`, and passes them on to the observers.
///
/// This object has one registration with Foundation for each observed name, and one for every name. The observers of a name are called by
/// the registration for that name, and the observers of every name by the other one. `lock` is not held while Foundation is called.
final class NotificationRelay: TopicWatcher, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` protects `registrations` and `lastNumber`. `source` is written once, before there are
    // observers.

    private struct Registration {
        /// The observed topics that need this registration: those of one name, or those of any name.
        var topics: Set<ObjectIdentifier> = []
        var current: (number: UInt64, token: any NSObjectProtocol)?
    }

    let center: NotificationCenter
    weak var source: ObservableNotificationCenter?

    private let lock = NSLock()
    private var registrations: [TopicKey.Subject: Registration] = [:]
    private var lastNumber: UInt64 = 0

    init(_ center: NotificationCenter) {
        self.center = center
    }

    /// Registers with Foundation, unless another topic has done so.
    ///
    /// Several threads may register. The registration that is stored first is the current one, and the others are removed. Only the current
    /// one passes notifications on. It stays the current one while `topics` contains a topic, and so until each of these threads has
    /// finished. So no notification reaches an observer through two registrations.
    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier) {
        let number = lock.withLock { () -> UInt64? in
            registrations[subject, default: Registration()].topics.insert(topic)
            if registrations[subject]?.current != nil { return nil }
            lastNumber += 1
            return lastNumber
        }
        guard let number else { return }
        let token = center.addObserver(forName: Self.name(subject), object: nil, queue: nil) { [weak self] notification in
            self?.relay(notification, about: subject, number)
        }
        let isCurrent = lock.withLock {
            if registrations[subject]?.current == nil { registrations[subject]?.current = (number, token) }
            return registrations[subject]?.current?.number == number
        }
        if !isCurrent { center.removeObserver(token) }
    }

    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier) {
        let token = lock.withLock { () -> (any NSObjectProtocol)? in
            registrations[subject]?.topics.remove(topic)
            guard registrations[subject]?.topics.isEmpty ?? false else { return nil }
            return registrations.removeValue(forKey: subject)?.current?.token
        }
        // A second removal of a token could end another observer's registration. So each token is taken out of the dictionary first.
        if let token { center.removeObserver(token) }
    }

    private func relay(_ notification: Notification, about subject: TopicKey.Subject, _ number: UInt64) {
        if lock.withLock({ registrations[subject]?.current?.number == number }) { source?.relay(notification, about: subject) }
    }

    /// The names for which this object is registered with Foundation; `nil` stands for every name.
    var registeredNames: [Notification.Name?] {
        lock.withLock { registrations.filter { $0.value.current != nil }.map { Self.name($0.key) } }
    }

    private static func name(_ subject: TopicKey.Subject) -> Notification.Name? {
        guard case .name(let name) = subject else { return nil }
        return Notification.Name(rawValue: name.rawValue)
    }
}
