extension ObservationBroker: CustomDebugStringConvertible {
    /// The counters of all controllers that have ended.
    public var debugDescription: String {
        "ObservationBroker, of controllers that have ended: \(counters)"
    }
}
