public import CSafeKVO

/// The event that describes one change during its delivery.
///
/// It holds everything that the observers of a key may ask for. Each observer receives only what its own options ask for.
@usableFromInline
package struct KeyValueEvent<Value>: NumberedEvent {
    /// The part that does not depend on the type of the value.
    ///
    /// It is the first field, so a pointer to the event is also a pointer to its header.
    @usableFromInline package var header: KeyValueEventHeader
    /// The value after the change, or only its new elements; nil before the change, unless the value is known already.
    @usableFromInline package var new: Value?
    /// The value before the change, or only its old elements; nil if no observer asks for old values.
    @usableFromInline package var old: Value?
    /// The whole collection after the change, if the change concerns only some elements and an observer asks for whole values.
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

    /// The whole value after the change, even if the change concerns only some elements of it.
    @usableFromInline var whole: Value? { header.kind == .setting ? new : wholeNew }

    /// Delivers the event to the observers of a list.
    ///
    /// - Parameters:
    ///   - delivery: The delivery, which knows the list and which of its observers are called.
    ///   - onlyPrior: `true` for calls before the change: only observers that asked for such calls get one.
    @inlinable
    @inline(__always)
    package mutating func deliver(through delivery: inout Delivery, onlyPrior: Bool) {
        header.limit = delivery.settledLimit
        if onlyPrior { header.tellUpcoming(through: &delivery) }
        if !onlyPrior, header.number == 0 { header.number = delivery.numberChange() }
        // If this passed the event itself to a function, the compiler would destroy it field by field at run time. So it passes a pointer.
        unsafe withUnsafeMutablePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during these calls only.
            if safekvo_has_batch() { return unsafe Self.postpone(pointer, through: &delivery, onlyPrior: onlyPrior) }
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: onlyPrior) {
                TypedEventBox<Self>(copying: $0)
            }
        }
    }

    /// Delivers the event to one observer as its initial call, while its registration is under way.
    @inlinable
    package mutating func deliver(toStarting info: ObservationInfo) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during this call only.
            info.startDelivery(of: unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Self>(copying: $0) }
        }
    }
}

/// The part of an event of a change that does not depend on the type of the value.
@usableFromInline
package struct KeyValueEventHeader {
    @usableFromInline
    package enum Phase: UInt8 {
        case prior
        /// Observers are about to be called before the change.
        ///
        /// Only key paths that depend on the changed property receive this phase. They note which observers they have, because an observer
        /// that is added during these calls must not be notified of the change.
        case upcoming
        case after
        case initial
        /// An announced change was cancelled, and no call follows.
        ///
        /// Only key paths that depend on the changed property receive this phase.
        case abandoned
        /// A property was changed in place without a notification, and can be read again.
        ///
        /// Only key paths that depend on it receive this phase.
        case closed
    }

    /// The part of the program that announces a change, and the form that it uses.
    @usableFromInline
    package enum Origin: UInt8 {
        /// The library announced the change, because an observed property was assigned to or changed in place.
        case assignment
        /// The program announced the change with two calls, one before and one after it.
        ///
        /// It may forget the second call.
        case bare
        /// The program announced the change with a closure or a token.
        ///
        /// These forms always end the change.
        case scoped
    }

    /// `true` if the change is a manual notification: the program announced it, and not an assignment.
    var isByHand: Bool { origin != .assignment }

    // SAFETY: the caller of the setter retains the observed object during the delivery. A copy of the event may wait until an initial call
    // ends; it is delivered while the caller of `observe` retains the object.
    @usableFromInline package let subject: Unretained<AnyObject>
    @usableFromInline package let kind: KeyValueChangeKind
    @usableFromInline package var phase: Phase
    /// The elements that a change of a collection concerns; nil for other changes.
    @usableFromInline package var elements: ElementsChange?
    /// The part of the program that announced the change.
    ///
    /// This is one field on purpose. With one more field, the compiler copies events field by field at run time.
    @usableFromInline var origin: Origin
    /// The cutoff serial: only observers whose registration has this serial number or an earlier one are called.
    @usableFromInline package var limit: UInt32
    /// The number of the change among all changes of its list of observers.
    ///
    /// An initial call has the number of the last change that its value includes. Zero means that the event has no number; such an event
    /// never counts as older than another one.
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

    /// Informs the key paths that depend on the changed property that observers are about to be called before the change.
    ///
    /// One of these calls may add an observer of such a key path. That observer must not be notified of this change. So the key paths note
    /// now which observers they have.
    @usableFromInline
    @inline(never)
    func tellUpcoming(through delivery: inout Delivery) {
        if !delivery.mustNoteObservers { return }
        var header = self
        header.phase = .upcoming
        unsafe withUnsafePointer(to: &header) { pointer in
            // SAFETY: the pointer is used during the call only. For this phase, the receivers read only the header of the event.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            delivery.deliver(event, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
    }

    /// Informs the key paths that depend on a list's property of a phase that is not a change.
    ///
    /// No observer is called.
    ///
    /// - Parameters:
    ///   - phase: The phase.
    ///   - subject: The observed object that the list belongs to.
    ///   - list: The list of observers of the property.
    static func tellDependents(_ phase: Phase, of subject: AnyObject, _ list: Unretained<ObserverList>) {
        guard unsafe list.with({ $0.hasDependents }), var delivery = Delivery(to: list) else { return }
        var header = KeyValueEventHeader(subject: subject, kind: .setting, phase: phase, elements: nil)
        let limit = delivery.settledLimit
        header.limit = limit
        unsafe withUnsafePointer(to: &header) { pointer in
            // SAFETY: the pointer is used during the call only. For these phases, the receivers read only the header of the event.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            unsafe list.object.deliver(event, upTo: limit, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
        delivery.finish()
    }
}
