import BenchmarkKit
import Foundation

/// A notification centre of its own, with blocks for names.
final class ObservedNotifications {
    /// What blocks add to.
    final class Receiver: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) everything happens on one thread.
        var sum = 0
    }

    let center = NotificationCenter()
    let receiver = Receiver()
    private var tokens: [any NSObjectProtocol] = []

    init(names: [Notification.Name]) {
        tokens = names.map { observe($0) }
    }

    func observe(_ name: Notification.Name) -> any NSObjectProtocol {
        let (receiver, step) = (receiver, opaque(1))
        return center.addObserver(forName: name, object: nil, queue: nil) { _ in receiver.sum &+= step }
    }

    func removeAll() -> Int {
        for token in tokens { center.removeObserver(token) }
        return tokens.count
    }
}
