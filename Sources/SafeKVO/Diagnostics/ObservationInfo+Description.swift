extension ObservationInfo: CustomDebugStringConvertible {
    /// The observer, and what is observed and how.
    public var debugDescription: String {
        let observer = owner.map { owner in owner.observer.map { "\(type(of: $0))" } ?? "an observer that is gone" } ?? "the library"
        return "ObservationInfo of \(observer): \(ObservationSnapshot(self))"
    }
}
