/// What happens when a controller is asked for an observation that it already has.
public enum RepeatedObservation: Sendable {
    /// The first registration stays and the new one is ignored.
    case ignore
    /// The new registration takes the old one's place in the order of delivery. The old handler gets no further call, and its `onTermination` is
    /// told ``ObservationEndReason/replaced``.
    case replace
}
