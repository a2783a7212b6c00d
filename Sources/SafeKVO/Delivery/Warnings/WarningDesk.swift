internal import CSafeKVO

/// The handler of warnings, and what has been told once and is not told again.
final class WarningDesk: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything belongs to `lock`; handlers are called and released outside.

    private final class Handler: Sendable {
        let handle: @Sendable (ObservationWarning) -> Void
        init(_ handle: @escaping @Sendable (ObservationWarning) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler? = Handler {
        // SAFETY: the string is used during the call only.
        unsafe safekvo_print_error($0.description)
    }
    private var told: Set<String> = []

    var handler: (@Sendable (ObservationWarning) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }

    /// Whether this is asked for the first time.
    func isFirst(at position: SourcePosition) -> Bool {
        let place = position.description
        return lock.withLock { told.insert(place).inserted }
    }
}
