/// An observation by code that has no controller: it lasts as long as this is kept, or until it is cancelled.
///
/// It is an observer like any other, with a controller of its own. It does not keep the centre.
public final class MessageRegistration {
    private var observations: ObservationController<MessageRegistration>?

    init(_ register: (ObservationController<MessageRegistration>) -> Void) {
        let observations = ObservationController(observer: self, retainsObserved: false)
        self.observations = observations
        register(observations)
    }

    /// Ends the observation.
    ///
    /// When it returns, no new call starts. Cancelling again does nothing.
    public func cancel() {
        observations?.invalidate()
    }
}
