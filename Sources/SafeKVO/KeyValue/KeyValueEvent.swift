public import CSafeKVO

/// A change on its way: everything there is to know about it, of which each observer is shown what it asked for.
@usableFromInline
struct KeyValueEvent<Value>: NumberedEvent {
    /// First, so that a pointer to the event is a pointer to its header.
    @usableFromInline var header: KeyValueEventHeader
    /// The value after the change; before it, if it is known already.
    @usableFromInline var new: Value?
    /// The value before the change, if somebody wants it.
    @usableFromInline var old: Value?
    /// The whole values of a collection of which only some elements change, if somebody wants them.
    @usableFromInline var wholeNew: Value?
    @usableFromInline var wholeOld: Value?

    @inlinable
    init(
        subject: AnyObject, kind: KeyValueChangeKind = .setting, phase: KeyValueEventHeader.Phase, new: Value?, old: Value?,
        elements: ElementsChange? = nil, wholeNew: Value? = nil, wholeOld: Value? = nil
    ) {
        header = KeyValueEventHeader(subject: subject, kind: kind, phase: phase, elements: elements)
        self.new = new
        self.old = old
        self.wholeNew = wholeNew
        self.wholeOld = wholeOld
    }

    var number: UInt64 { header.number }

    /// The value after the change, not only the elements that are new in it.
    @usableFromInline var whole: Value? { header.kind == .setting ? new : wholeNew }

    /// Calls the observers of a delivery.
    @inlinable
    @inline(__always)
    mutating func deliver(through delivery: inout Delivery, onlyPrior: Bool) {
        header.limit = delivery.settledLimit
        if onlyPrior { header.tellUpcoming(through: &delivery) }
        if !onlyPrior, header.number == 0 { header.number = delivery.numberChange() }
        // Whoever makes the event must not lend it to a function as a whole: the compiler would end it field by field at run time.
        unsafe withUnsafeMutablePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during the calls only.
            if safekvo_has_batch() { return unsafe Self.postpone(pointer, through: &delivery, onlyPrior: onlyPrior) }
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
            info.startDelivery(of: unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Self>(copying: $0) }
        }
    }
}
