internal import Foundation
internal import SafeKVO

/// The one registration with a `NotificationCenter`, which is there as long as anybody observes.
///
/// It asks for every name: with a token for each, Foundation would decide who of their observers comes first.
final class NotificationRelay: TopicWatcher, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the count, the token and the end belong to `lock`; `source` is written once, before anybody observes.

    let center: NotificationCenter
    /// Who tells the observers.
    weak var source: ObservableNotificationCenter?

    private let lock = NSLock()
    private var observations = 0
    private var token: (any NSObjectProtocol)?
    private var hasEnded = false

    init(_ center: NotificationCenter) {
        self.center = center
    }

    func topicWasObserved(_ subject: Topic.Subject) { count(1) }

    func topicWasUnobserved(_ subject: Topic.Subject) { count(-1) }

    private func count(_ change: Int) {
        lock.withLock {
            observations += change
            if observations > 0 {
                if token == nil, !hasEnded {
                    token = center.addObserver(forName: nil, object: nil, queue: nil) { [weak self] in self?.relay($0) }
                }
            } else {
                removeToken()
            }
        }
    }

    /// Listens no longer, for good.
    func end() {
        lock.withLock {
            hasEnded = true
            removeToken()
        }
    }

    /// Removes the token once: Foundation might take a second removal for that of somebody else's.
    private func removeToken() {
        guard let removed = token else { return }
        token = nil
        center.removeObserver(removed)
    }

    private func relay(_ notification: Notification) {
        source?.relay(notification)
    }
}
