import SafeKVO

/// The observed object of the example, which notifies its observers of its state.
///
/// The class needs only one constant. The functions `attach`, `detach` and `notify` come with the protocol.
final class ConcreteSubject: ObservableSubject {
    let eventRegistrar = EventRegistrar<Void>()

    var state = ""
}
