import SafeKVO
import SafeKVOEvents

/// The observed object of the example, which notifies its observers of its state.
///
/// The class declares only `eventRegistrar`. The protocol `ObservableSubject` provides `attach`, `detach` and `notify`.
final class ConcreteSubject: ObservableSubject {
    let eventRegistrar = EventRegistrar<Void>()

    var state = ""
}
