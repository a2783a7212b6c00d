public import Dispatch
public import SafeKVO

extension ObservationHandler where Observer: Sendable, Value: Sendable {
    /// Calls a closure on a queue.
    ///
    /// Everything hops, also what happens on that queue. A queue that works on several things at once runs the calls of one observation one
    /// after another all the same.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Called with the observer and the value.
    /// - Returns: the handler.
    public static func queue(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void
    ) -> Self {
        Self(HandlerPlace(QueueTarget(queue)), handler)
    }
}

extension ObservationChangeHandler where Observer: Sendable, Payload: Sendable {
    /// Calls a closure on a queue.
    ///
    /// Everything hops, also what happens on that queue. A queue that works on several things at once runs the calls of one observation one
    /// after another all the same.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Called with the observer, the object and the change.
    /// - Returns: the handler.
    public static func queue(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        Self(HandlerPlace(QueueTarget(queue)), handler)
    }
}

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
