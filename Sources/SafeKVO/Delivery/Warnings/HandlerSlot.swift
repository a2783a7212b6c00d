package final class HandlerSlot<Report>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `present`, the handler in use. Handlers are called and released outside the lock.

    private final class Handler: Sendable {
        let handle: @Sendable (Report) -> Void
        init(_ handle: @escaping @Sendable (Report) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler?

    package init(_ handler: (@Sendable (Report) -> Void)? = nil) {
        present = handler.map { Handler($0) }
    }

    package var handler: (@Sendable (Report) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }
}
