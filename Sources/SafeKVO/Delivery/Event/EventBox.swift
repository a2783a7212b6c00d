/// A copy of an event that cannot be delivered at once.
///
/// Most events are not copied. Examples of events that wait: an event that arrives during its observer's initial call, and an event that
/// hops to another actor.
@usableFromInline
package class EventBox {
    @usableFromInline
    init() {}

    func withEvent(_ body: (EventPointer) -> Void) {
        preconditionFailure("Internal error of SafeKVO: `EventBox.withEvent(_:)` has no override. Please report it.")
    }

    /// The serial number of the change, or zero if it has none.
    var number: UInt64 { 0 }
}

/// An event that has the serial number of its change.
protocol NumberedEvent {
    /// The serial number of the change, or zero if it has none.
    var number: UInt64 { get }
}

/// A copy of an event of a known type.
@usableFromInline
package final class TypedEventBox<Event>: EventBox {
    private let event: Event

    @usableFromInline
    init(copying pointer: EventPointer) {
        // SAFETY: The code that creates this box from a pointer also created the event, and `Event` is that event's type.
        event = unsafe pointer.assumingType(Event.self).pointee
        super.init()
    }

    init(_ event: Event) {
        self.event = event
        super.init()
    }

    override var number: UInt64 { (event as? any NumberedEvent)?.number ?? 0 }

    override func withEvent(_ body: (EventPointer) -> Void) {
        // SAFETY: The pointer is used during the call only.
        unsafe withUnsafePointer(to: event) { unsafe body(EventPointer(UnsafeRawPointer($0))) }
    }
}

/// A copy of an event that retains the observed object until the event is delivered.
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
/// Only the code that creates the event and the handler know the event's type. The code between them passes this pointer on, and so needs
/// no generics.
@safe
@usableFromInline
package struct EventPointer {
    @usableFromInline let pointer: UnsafeRawPointer

    // SAFETY: The pointer is only passed to functions that the delivering function calls. So the event exists as long as the pointer is
    // used.
    @inlinable
    @inline(__always)
    package init(_ pointer: UnsafeRawPointer) {
        unsafe self.pointer = pointer
    }

    /// Returns a typed pointer to the event.
    @inlinable
    @inline(__always)
    package func assumingType<Event>(_ type: Event.Type) -> UnsafePointer<Event> {
        // SAFETY: Each observer list has one type of events. The code that creates an event for a list, and the handlers in that list, use
        // this type.
        unsafe pointer.assumingMemoryBound(to: Event.self)
    }
}
