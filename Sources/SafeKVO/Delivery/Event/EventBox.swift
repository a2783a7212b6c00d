/// A copy of an event, for the rare event that must wait: one that arrives while its observer's initial call is running.
@usableFromInline
class EventBox {
    @usableFromInline
    init() {}

    func withEvent(_ body: (EventPointer) -> Void) {
        preconditionFailure("A box of an event must hold one.")
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

    override var number: UInt64 { (event as? any NumberedEvent)?.number ?? 0 }

    override func withEvent(_ body: (EventPointer) -> Void) {
        // SAFETY: the pointer is used during the call only.
        unsafe withUnsafePointer(to: event) { unsafe body(EventPointer(UnsafeRawPointer($0))) }
    }
}
