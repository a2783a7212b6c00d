/// The reason why an observation ended.
public enum ObservationEndReason: UInt8, Sendable, CaseIterable {
    /// The program removed the observation, by `unobserve(_:_:)`, `unobserve(_:)` or `unobserveAll()`.
    case removed
    /// A later registration with `ifAlreadyObserved: .replace` took the place of this one.
    case replaced
    /// The observer was deallocated.
    case observerDeinitialized
    /// The observed object was deallocated.
    case objectDeinitialized
    /// The controller was invalidated, or was deallocated while its observer was still alive.
    case controllerInvalidated
    /// The observation polled a value, and the `sleep` of its clock threw an error.
    case clockFailed
}
