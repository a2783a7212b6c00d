public import SafeKVO

/// A source of events that delivers each sent value to its observers, and stores no value.
///
/// ```swift
/// let ticked = Signal<Int>()
/// observations.observe(ticked) { view, count in view.show(count) }
/// ticked.send(1)
/// ```
///
/// ## Lifetime
///
/// A signal does not retain its observers. Their controllers retain the signal, unless they were made with `retainsObserved: false`. When
/// the signal is deallocated, its observations end.
///
/// ## Threads
///
/// Handlers run on the thread that sends, before ``send(_:)`` returns. They run in the order of their registration. A signal is `Sendable` if
/// its value is. So a handler is isolated to an actor, or captures only what is `Sendable`, and its observer is `Sendable`.
public final class Signal<Value>: SharedObservationSource {
    /// The storage of this signal's observations.
    public let eventRegistrar = EventRegistrar<Value>()

    /// Makes a signal without observers.
    ///
    /// Until its first observation, a signal is one small object.
    public init() {}

    /// Delivers a value to the observers.
    ///
    /// The observers are called on this thread, before this function returns. An observer that is added during the delivery does not get
    /// this value. An observer that is removed before its turn is not called. A handler may send another value; all observers get that value
    /// before the delivery of this value continues.
    ///
    /// - Parameter value: The value.
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func send(_ value: Value) {
        eventRegistrar.notify(value)
    }
}

extension Signal where Value == Void {
    /// Notifies the observers.
    ///
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func send() {
        send(())
    }
}

extension Signal: Sendable where Value: Sendable {}
