package final class HandlerSlot<Told>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `present`, the handler in use. Handlers are called and released outside the lock.

    private final class Handler: Sendable {
        let handle: @Sendable (Told) -> Void
        init(_ handle: @escaping @Sendable (Told) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler?

    package init(_ handler: (@Sendable (Told) -> Void)? = nil) {
        present = handler.map { Handler($0) }
    }

    package var handler: (@Sendable (Told) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }
}
