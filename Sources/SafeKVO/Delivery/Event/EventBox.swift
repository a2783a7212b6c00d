/// A copy of an event, for the rare event that must wait: one that arrives while its observer's initial call is running.
@usableFromInline
package class EventBox {
    @usableFromInline
    init() {}

    func withEvent(_ body: (EventPointer) -> Void) {
        preconditionFailure("Internal error of SafeKVO: `EventBox.withEvent(_:)` has no override. Please report it.")
    }

    /// Which of the changes of its list the event is; zero if it has no number.
    var number: UInt64 { 0 }
}

/// An event that says which of the changes of its list it is.
protocol NumberedEvent {
    /// The number; zero if it has none.
    var number: UInt64 { get }
}

/// The box of an event of a known type.
@usableFromInline
package final class TypedEventBox<Event>: EventBox {
    private let event: Event

    @usableFromInline
    init(copying pointer: EventPointer) {
        // SAFETY: made only beside the event that is copied, with that event's type.
        event = unsafe pointer.assumingType(Event.self).pointee
        super.init()
    }

    init(_ event: Event) {
        self.event = event
        super.init()
    }

    override var number: UInt64 { (event as? any NumberedEvent)?.number ?? 0 }

    override func withEvent(_ body: (EventPointer) -> Void) {
        // SAFETY: the pointer is used during the call only.
        unsafe withUnsafePointer(to: event) { unsafe body(EventPointer(UnsafeRawPointer($0))) }
    }
}

/// A copy of an event that keeps the subject until it is delivered.
final class KeptEventBox: EventBox {
    let event: EventBox
    private let subject: AnyObject

    init(_ event: EventBox, _ subject: AnyObject) {
        self.event = event
        self.subject = subject
        super.init()
    }

    override var number: UInt64 { event.number }

    override func withEvent(_ body: (EventPointer) -> Void) {
        withExtendedLifetime(subject) { event.withEvent(body) }
    }
}

/// A pointer to an event on the stack of the function that delivers it.
///
/// Its type is known at both ends, where the event is made and in the handler made for it, and to nobody between: that keeps everything
/// between free of generics.
@safe
@usableFromInline
package struct EventPointer {
    @usableFromInline let pointer: UnsafeRawPointer

    // SAFETY: the pointer is handed down a stack of calls and used nowhere else, so that what it points to is there.
    @inlinable
    @inline(__always)
    package init(_ pointer: UnsafeRawPointer) {
        unsafe self.pointer = pointer
    }

    /// The event.
    @inlinable
    @inline(__always)
    package func assumingType<Event>(_ type: Event.Type) -> UnsafePointer<Event> {
        // SAFETY: an observer list has one type of events; the typed ends that share a list agree on it.
        unsafe pointer.assumingMemoryBound(to: Event.self)
    }
}
