/// A copy of an event that cannot be delivered at once, for example because its handler runs on another actor.
@usableFromInline
package class EventBox {
    @usableFromInline
    init() {}

    /// Calls a closure with a pointer to the event, and with a function that returns this box instead of another copy.
    func withEvent(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        preconditionFailure("Internal error of SafeKVO: `EventBox.withEvent(_:)` has no override. Please report it.")
    }
}

@usableFromInline
package final class TypedEventBox<Event>: EventBox {
    @usableFromInline let event: Event

    @_alwaysEmitIntoClient
    package convenience init(copying pointer: EventPointer) {
        // SAFETY: the code that makes this box also made the event, so `Event` is the type of the event.
        self.init(unsafe pointer.view(as: Event.self).pointee)
    }

    @_alwaysEmitIntoClient
    package init(_ event: Event) {
        self.event = event
        super.init()
    }

    override func withEvent(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        EventPointer.with(event) { pointer, _ in body(pointer) { _ in self } }
    }
}

/// An untyped pointer to an event on the stack of the function that delivers the event.
///
/// Only the function that makes the event and the handler know the type.
@safe
@usableFromInline
package struct EventPointer {
    @usableFromInline let pointer: UnsafeRawPointer

    // SAFETY: the pointer is only passed down the stack, to functions that the delivering function calls. So the
    // event outlives the pointer.
    @_alwaysEmitIntoClient
    @inline(__always)
    package init(_ pointer: UnsafeRawPointer) {
        unsafe self.pointer = pointer
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    package static func with<Event>(_ event: Event, _ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        // SAFETY: `body` does not keep the pointer. It copies the event if a delivery needs it later.
        unsafe withUnsafePointer(to: event) { pointer in
            body(unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Event>(copying: $0) }
        }
    }

    /// Returns a view of the event with its own type, or with the type of the event's first field.
    ///
    /// The caller must be sure of the type, because nothing checks it. The uses of the view are safe.
    @unsafe
    @_alwaysEmitIntoClient
    @inline(__always)
    package func view<Event>(as type: Event.Type) -> EventView<Event> { unsafe EventView(pointer.assumingMemoryBound(to: Event.self)) }

    /// Returns a typed pointer to the event, through which the caller may change the event.
    ///
    /// Only for events that were passed by `with(mutable:_:)`, because any other event is constant.
    @unsafe
    @_alwaysEmitIntoClient
    @inline(__always)
    package func mutable<Event>(as type: Event.Type) -> UnsafeMutablePointer<Event> {
        unsafe UnsafeMutableRawPointer(mutating: pointer).assumingMemoryBound(to: Event.self)
    }

    /// Calls a closure with a pointer through which the closure may change the event, in the caller's variable.
    @_alwaysEmitIntoClient
    @inline(__always)
    package static func with<Event, Result>(mutable event: inout Event, _ body: (EventPointer) -> Result) -> Result {
        // SAFETY: `body` does not keep the pointer.
        unsafe withUnsafeMutablePointer(to: &event) { body(unsafe EventPointer(UnsafeRawPointer($0))) }
    }
}

/// An event during its delivery, with its type.
@safe
@usableFromInline
package struct EventView<Event> {
    // SAFETY: `EventPointer.view(as:)` makes this value, and vouches for the type. Like the `EventPointer`, it is only passed down the
    // stack, so the event outlives it.
    @usableFromInline let pointer: UnsafePointer<Event>

    @_alwaysEmitIntoClient
    @inline(__always)
    init(_ pointer: UnsafePointer<Event>) { unsafe self.pointer = pointer }

    @_alwaysEmitIntoClient
    package var pointee: Event {
        @inline(__always)
        unsafeAddress { unsafe pointer }
    }
}
