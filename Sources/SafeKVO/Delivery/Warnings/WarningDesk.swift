internal import CSafeKVO

/// The handler of warnings, and what has been told once and is not told again.
final class WarningDesk: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `told` belongs to `lock`.

    let slot = HandlerSlot<ObservationWarning> {
        // SAFETY: the string is used during the call only.
        unsafe safekvo_print_error($0.description)
    }
    private let lock = Lock()
    private var told: Set<String> = []

    /// Whether this is asked for the first time.
    func isFirst(_ kind: ObservationWarning.Kind, at position: SourcePosition) -> Bool {
        let place = "\(kind) \(position)"
        return lock.withLock { told.insert(place).inserted }
    }
}
