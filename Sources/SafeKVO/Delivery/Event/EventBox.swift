/// A copy of an event, for the rare event that must wait: one that arrives while its observer's initial call is running.
@usableFromInline
class EventBox {
    @usableFromInline
    init() {}

    func withEvent(_ body: (EventPointer) -> Void) {
        preconditionFailure("A box of an event must hold one.")
    }
}

/// The box of an event of a known type.
@usableFromInline
final class TypedEventBox<Event>: EventBox {
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

    override func withEvent(_ body: (EventPointer) -> Void) {
        // SAFETY: the pointer is used during the call only.
        unsafe withUnsafePointer(to: event) { unsafe body(EventPointer(UnsafeRawPointer($0))) }
    }
}
