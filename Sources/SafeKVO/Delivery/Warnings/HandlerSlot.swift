/// Where one handler of the whole process is kept: it may be replaced, on any thread, while others call it.
final class HandlerSlot<Told>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `present` belongs to `lock`; handlers are called and released outside.

    private final class Handler: Sendable {
        let handle: @Sendable (Told) -> Void
        init(_ handle: @escaping @Sendable (Told) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler?

    init(_ handler: (@Sendable (Told) -> Void)? = nil) {
        present = handler.map { Handler($0) }
    }

    var handler: (@Sendable (Told) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }
}
