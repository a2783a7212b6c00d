public import CSafeKVO

/// A change on its way: everything there is to know about it, of which each observer is shown what it asked for.
@usableFromInline
package struct KeyValueEvent<Value>: NumberedEvent {
    /// First, so that a pointer to the event is a pointer to its header.
    @usableFromInline package var header: KeyValueEventHeader
    /// The value after the change; before it, if it is known already.
    @usableFromInline package var new: Value?
    /// The value before the change, if somebody wants it.
    @usableFromInline package var old: Value?
    /// The whole values of a collection of which only some elements change, if somebody wants them.
    @usableFromInline package var wholeNew: Value?
    @usableFromInline package var wholeOld: Value?

    @inlinable
    package init(
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
    package mutating func deliver(through delivery: inout Delivery, onlyPrior: Bool) {
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
    package mutating func deliver(toStarting info: ObservationInfo) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: as above.
            info.startDelivery(of: unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Self>(copying: $0) }
        }
    }
}

/// What a change on its way has whatever the type of its value.
@usableFromInline
package struct KeyValueEventHeader {
    @usableFromInline
    package enum Phase: UInt8 {
        case prior
        /// Calls before the change are about to be made: to paths that depend on it, which note who observes them.
        case upcoming
        case after
        case initial
        /// What was announced will not be told: to paths that depend on it.
        case abandoned
        /// A property that was changed in place, and tells nothing of it, can be read again: to paths that depend on it.
        case closed
    }

    /// Who announces a change.
    @usableFromInline
    package enum Origin: UInt8 {
        /// The library.
        case assignment
        /// The program, in one of two functions, of which it may forget the second.
        case bare
        /// The program, in a form that cannot fail to end.
        case scoped
    }

    /// Whether the change was announced by hand.
    var isByHand: Bool { origin != .assignment }

    // SAFETY: the caller of the setter holds the subject as long as the delivery lasts; a waiting copy of the event is delivered while the
    // caller of `observe` holds it.
    @usableFromInline package let subject: Unretained<AnyObject>
    @usableFromInline package let kind: KeyValueChangeKind
    @usableFromInline package var phase: Phase
    /// What only changes of collections have.
    @usableFromInline package var elements: ElementsChange?
    /// How the change was announced.
    ///
    /// One field: with another one, the compiler copies events field by field at run time.
    @usableFromInline var origin: Origin
    /// Who is heard from.
    @usableFromInline package var limit: UInt32
    /// Which of the changes of its list this is; an initial call has the number of the last change that its value includes.
    ///
    /// Zero for what has no number: that is never older than something else.
    @usableFromInline package var number: UInt64

    @inlinable
    init(subject: AnyObject, kind: KeyValueChangeKind, phase: Phase, elements: ElementsChange?) {
        self.subject = Unretained(subject)
        self.kind = kind
        self.phase = phase
        self.elements = elements
        origin = .assignment
        limit = 0
        number = 0
    }

    /// Tells the paths that depend on what changes that calls before the change are about to be made.
    ///
    /// An observer of theirs that one of these calls adds does not hear the change.
    @usableFromInline
    @inline(never)
    func tellUpcoming(through delivery: inout Delivery) {
        if !delivery.mustNoteObservers { return }
        var header = self
        header.phase = .upcoming
        unsafe withUnsafePointer(to: &header) { pointer in
            // SAFETY: the pointer is used during the call only. Paths look at no more than the header of such an event.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            delivery.deliver(event, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
    }

    /// Tells the paths that depend on a list, and nobody else, something that is no change.
    ///
    /// - Parameters:
    ///   - phase: What it is.
    ///   - subject: Whose list it is.
    ///   - list: The list.
    static func tellDependents(_ phase: Phase, of subject: AnyObject, _ list: Unretained<ObserverList>) {
        guard unsafe list.with({ $0.hasDependents }), var delivery = Delivery(to: list) else { return }
        var header = KeyValueEventHeader(subject: subject, kind: .setting, phase: phase, elements: nil)
        let limit = delivery.settledLimit
        header.limit = limit
        unsafe withUnsafePointer(to: &header) { pointer in
            // SAFETY: the pointer is used during the call only. Paths look at no more than the header of such an event.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            unsafe list.object.deliver(event, upTo: limit, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
        delivery.finish()
    }
}
