#if canImport(Dispatch)
    public import Dispatch
    public import SafeKVO

    extension ObservationHandler where Observer: Sendable, Value: Sendable {
        /// Returns a handler that calls a closure on a dispatch queue.
        ///
        /// Every value is delivered asynchronously, even if the change is made on that queue. The calls of one observation run one after
        /// another, even on a concurrent queue.
        public static func queue(
            _ queue: DispatchQueue, _ handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void
        ) -> Self {
            Self(HandlerPlace(QueueTarget(queue)), handler)
        }
    }

    extension ObservationChangeHandler where Observer: Sendable, Payload: Sendable {
        /// Returns a handler that calls a closure on a dispatch queue.
        ///
        /// Every change is delivered asynchronously, even if it is made on that queue. The calls of one observation run one after another, even
        /// on a concurrent queue.
        public static func queue(
            _ queue: DispatchQueue, _ handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: Change) -> Void
        ) -> Self {
            Self(HandlerPlace(QueueTarget(queue)), handler)
        }
    }

    final class QueueTarget: DeliveryTarget {
        private let queue: DispatchQueue

        init(_ queue: DispatchQueue) {
            self.queue = queue
        }

        /// Always `false`, so that code on the queue enqueues its deliveries, too.
        var isCurrent: Bool { false }

        func enqueue(_ job: @escaping @Sendable () -> Void) {
            queue.async(execute: job)
        }
    }
#endif
