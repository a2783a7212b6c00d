/// Why an observation ended.
public enum ObservationEndReason: UInt8, Sendable, CaseIterable {
    /// Somebody removed it: `unobserve(_:_:)`, `unobserve(_:)` or `unobserveAll()`.
    case removed
    /// A later registration with `ifAlreadyObserved: .replace` took its place.
    case replaced
    /// The observer was deallocated.
    case observerDeinitialized
    /// The observed object was deallocated.
    case objectDeinitialized
    /// The controller was invalidated, or deallocated while its observer lived on.
    case controllerInvalidated
    /// The clock of a poll failed: its `sleep` threw an error.
    case clockFailed
}
