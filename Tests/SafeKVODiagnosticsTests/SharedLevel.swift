import SafeKVO

/// A subject that threads share.
final class SharedLevel: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) its only property is atomic.

    @AtomicObserved var level = 0
}
