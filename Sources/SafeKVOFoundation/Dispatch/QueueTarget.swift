internal import Dispatch
internal import SafeKVO

/// A dispatch queue, on which handlers are called.
final class QueueTarget: DeliveryTarget {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Never: what is posted from the queue to itself is told later too, like all else.
    var isCurrent: Bool { false }

    func enqueue(_ job: @escaping @Sendable () -> Void) {
        queue.async(execute: job)
    }
}
