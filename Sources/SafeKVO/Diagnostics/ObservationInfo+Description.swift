extension ObservationInfo: CustomDebugStringConvertible {
    /// The observer, and what is observed and how.
    public var debugDescription: String {
        "ObservationInfo: \(ObservationSnapshot(self)?.description ?? "ended")"
    }
}
