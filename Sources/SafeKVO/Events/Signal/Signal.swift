/// Something that happens now and then and that observers are told of: it has no value of its own, only what is sent.
///
/// ```swift
/// let ticked = Signal<Int>()
/// observations.observe(ticked) { view, count in view.show(count) }
/// ticked.send(1)
/// ```
///
/// ## Lifetime
///
/// A signal keeps none of its observers. It is kept by their controllers, unless those were made with `retainsObserved: false`; when it goes,
/// its observations end.
///
/// ## Threads
///
/// Handlers run on the thread that sends, before ``send(_:)`` returns, in the order in which they were registered.
public final class Signal<Value>: ObservationSource {
    /// Where the signal keeps its observers.
    public let eventRegistrar = EventRegistrar<Value>()

    /// Makes a signal that nobody observes.
    ///
    /// Until somebody does, it is one small object.
    public init() {}

    /// Tells the observers.
    ///
    /// An observer that is added meanwhile does not hear it, one that is removed meanwhile is not called. Sending in a handler is
    /// allowed: the observers hear what is sent there first.
    ///
    /// - Parameter value: What to tell them.
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func send(_ value: Value) {
        eventRegistrar.notify(value)
    }
}

extension Signal where Value == Void {
    /// Tells the observers that it has happened.
    ///
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func send() {
        send(())
    }
}

extension Signal: Sendable where Value: Sendable {}
