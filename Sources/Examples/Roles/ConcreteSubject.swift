import SafeKVO

/// The subject: it knows its state, and tells its observers that it has changed.
///
/// A class of one's own with one constant; `attach`, `detach` and `notify` come with the protocol.
final class ConcreteSubject: ObservableSubject {
    let eventRegistrar = EventRegistrar<Void>()

    var state = ""
}
