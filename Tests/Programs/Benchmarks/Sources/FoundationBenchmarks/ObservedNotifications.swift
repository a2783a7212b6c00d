import BenchmarkKit
import Foundation

/// A notification centre of its own, with blocks for names.
final class ObservedNotifications {
    /// What blocks add to.
    final class Receiver: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) everything happens on one thread.
        var sum = 0
    }

    let center: NotificationCenter
    let receiver = Receiver()
    private var tokens: [any NSObjectProtocol] = []

    init(names: [Notification.Name], center: NotificationCenter = NotificationCenter()) {
        self.center = center
        tokens = names.map { observe($0) }
    }

    func observe(_ name: Notification.Name) -> any NSObjectProtocol {
        let (receiver, step) = (receiver, opaque(1))
        return center.addObserver(forName: name, object: nil, queue: nil) { _ in receiver.sum &+= step }
    }

    /// Observes as a careful program does: the block keeps nobody.
    func observeWeakly(_ name: Notification.Name?, object: Receiver? = nil) {
        let step = opaque(1)
        tokens.append(center.addObserver(forName: name, object: object, queue: nil) { [weak receiver] _ in receiver?.sum &+= step })
    }

    /// Observes as a careful program does, and looks up what the notification says.
    func observeValue(_ name: Notification.Name) {
        let step = opaque(1)
        tokens.append(
            center.addObserver(forName: name, object: nil, queue: nil) { [weak receiver] notification in
                guard let value = notification.userInfo?["value"] as? Int else { return }
                receiver?.sum &+= value &* step
            })
    }

    func removeAll() -> Int {
        let count = tokens.count
        for token in tokens { center.removeObserver(token) }
        // A token that is kept keeps its block.
        tokens = []
        return count
    }
}
