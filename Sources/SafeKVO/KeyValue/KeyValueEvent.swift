/// A change on its way: everything there is to know about it, of which each observer is shown what it asked for.
@usableFromInline
struct KeyValueEvent<Value> {
    /// First, so that a pointer to the event is a pointer to its header.
    @usableFromInline var header: KeyValueEventHeader
    /// The value after the change; before it, if it is known already.
    @usableFromInline var new: Value?
    /// The value before the change, if somebody wants it.
    @usableFromInline var old: Value?

    @inlinable
    init(
        subject: AnyObject, kind: KeyValueChangeKind = .setting, phase: KeyValueEventHeader.Phase, new: Value?, old: Value?,
        elements: ElementsChange? = nil
    ) {
        header = KeyValueEventHeader(subject: subject, kind: kind, phase: phase, elements: elements)
        self.new = new
        self.old = old
    }

    /// Calls the observers of a delivery.
    @inlinable
    @inline(__always)
    mutating func deliver(through delivery: inout Delivery, onlyPrior: Bool) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during the call only.
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: onlyPrior) {
                TypedEventBox<Self>(copying: $0)
            }
        }
    }

    /// Calls one observer, whose start is under way.
    @inlinable
    mutating func deliver(toStarting info: ObservationInfo) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: as above.
            info.startDelivery(of: unsafe EventPointer(UnsafeRawPointer(pointer)))
        }
    }
}
