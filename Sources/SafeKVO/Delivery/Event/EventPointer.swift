/// A pointer to an event on the stack of the function that delivers it.
///
/// Its type is known at both ends, where the event is made and in the handler made for it, and to nobody between: that keeps everything
/// between free of generics.
@safe
@usableFromInline
struct EventPointer {
    @usableFromInline let pointer: UnsafeRawPointer

    // SAFETY: the pointer is handed down a stack of calls and used nowhere else, so that what it points to is there.
    @inlinable
    @inline(__always)
    init(_ pointer: UnsafeRawPointer) {
        unsafe self.pointer = pointer
    }

    /// The event.
    @inlinable
    @inline(__always)
    func assumingType<Event>(_ type: Event.Type) -> UnsafePointer<Event> {
        // SAFETY: an observer list has one type of events; the typed ends that share a list agree on it.
        unsafe pointer.assumingMemoryBound(to: Event.self)
    }
}
