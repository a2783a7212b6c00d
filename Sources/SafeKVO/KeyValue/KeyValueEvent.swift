public import CSafeKVO
internal import Synchronization

/// One change of a key during its delivery, with the values that any observer of the key asks for.
@usableFromInline
package struct KeyValueEvent<Value> {
    /// The first field, because code that does not know `Value` uses an event pointer as a header pointer.
    @usableFromInline package var header: KeyValueEventHeader
    /// The value after the change; for an insertion or a replacement, only the new elements.
    @usableFromInline package var new: Value?
    /// The value before the change; for a removal or a replacement, only the old elements.
    @usableFromInline package var old: Value?
    /// The whole collection after a change of some of its elements; may be nil if no observer needs it.
    @usableFromInline package var wholeNew: Value?
    @usableFromInline package var wholeOld: Value?

    @_alwaysEmitIntoClient
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

    @usableFromInline var whole: Value? { header.kind == .setting ? new : wholeNew }

    /// Delivers the event to observers, or adds it to this thread's batch of changes.
    ///
    /// If `onlyPrior` is `true`, only observers that want a call before the change are called.
    @_alwaysEmitIntoClient
    @inline(__always)
    package mutating func deliver(through delivery: inout Delivery, onlyPrior: Bool) {
        header.cutoff = delivery.settledCutoff
        if !onlyPrior, header.number == 0 { header.number = delivery.numberChange() }
        // An event passed by value would be destroyed field by field, which is slow.
        EventPointer.with(mutable: &self) { event in
            if safekvo_has_batch() { return KeyValueEventHeader.postpone(event, through: &delivery, onlyPrior: onlyPrior, Self.batchSteps) }
            KeyValueEventHeader.deliver(event, through: &delivery, onlyPrior: onlyPrior) { TypedEventBox<Self>(copying: $0) }
        }
    }

    /// Delivers the event like the other function, in code that all types share: the broker has a copy for each type that it knows.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    mutating func deliverUnspecialized(through delivery: inout Delivery, onlyPrior: Bool) {
        deliver(through: &delivery, onlyPrior: onlyPrior)
    }

    /// Delivers a change that another isolation may have made to those observers for whom `isMeant` returns `true`.
    @_semantics("optimize.sil.specialize.generic.never")
    @usableFromInline
    mutating func deliver(through delivery: inout Delivery, where isMeant: (ObservationInfo) -> Bool) {
        header.cutoff = delivery.settledCutoff
        EventPointer.with(mutable: &self) { event in
            delivery.deliver(event, box: { TypedEventBox<KeyValueEvent<Value>>(copying: $0) }, where: isMeant)
        }
    }

    /// Returns the present value of the key of a list; nil if the list does not know its key path.
    @_alwaysEmitIntoClient
    static func value(of subject: AnyObject, in list: ObserverList) -> Value? {
        guard let keyPath = list.keyPath else { return nil }
        return value(of: subject, at: keyPath)
    }

    /// Returns the present value; nil if the key path does not fit the object's class or `Value`.
    @_alwaysEmitIntoClient
    static func value(of subject: AnyObject, at keyPath: AnyKeyPath) -> Value? {
        func read<Root>(_ root: Root.Type) -> Value? {
            guard let keyPath = keyPath as? KeyPath<Root, Value>, let root = subject as? Root else { return nil }
            return Recording.suspended { root[keyPath: keyPath] }
        }
        let value = _openExistential(type(of: keyPath).rootType, do: read)
        return value ?? (keyPath.isEntireObject ? subject as? Value : nil)
    }

    /// Delivers the event to a new observer as its initial call.
    ///
    /// `number` is the number of the last change before the value was read; nil if changes of the key have no numbers.
    @_alwaysEmitIntoClient
    package mutating func deliver(toStarting info: ObservationInfo, readAfter number: UInt64? = nil) {
        header.number = number ?? 0
        // If the property has changed since its value was read, the value must be read again.
        let isNewer = number.map { $0 != info.lastChange } ?? false
        EventPointer.with(mutable: &self) {
            ObservationBroker.shared.forwardFirst($0, to: info) { TypedEventBox<KeyValueEvent<Value>>(copying: $0) }
        }
        if isNewer { info.mark() }
    }
}

/// The fields of a ``KeyValueEvent`` that do not depend on its `Value`.
@usableFromInline
package struct KeyValueEventHeader {
    @usableFromInline
    package enum Phase: UInt8 {
        case prior
        case after
        case initial
        /// Sent to key paths that depend on the property, after a mutation in place that did not notify the property's observers, and after
        /// a cancelled manual notification.
        ///
        /// A read of the property during the mutation would trap. So a key path that had to be evaluated during the mutation is evaluated
        /// now.
        case closed
    }

    // SAFETY: does not retain the object. During a delivery, the caller of the setter retains it. A copy of the event may have to wait
    // until an observer's initial call has ended. Meanwhile, the caller of `observe` retains the object.
    @usableFromInline package let subject: Unretained<AnyObject>
    @usableFromInline package let kind: KeyValueChangeKind
    @usableFromInline package var phase: Phase
    /// The elements that the change inserts, removes or replaces; nil if the whole value is set.
    @usableFromInline package var elements: ElementsChange?
    /// `true` if client code announced the change; `false` if an observed property was set or mutated in place.
    ///
    /// Do not add a field to this structure: the compiler would then copy events slowly, field by field.
    @usableFromInline package var isByHand: Bool
    /// Registrations with greater serial numbers are not notified of the change.
    @usableFromInline package var cutoff: UInt64
    /// The serial number of the change; zero if the event has none.
    ///
    /// For an initial call, this is the number of the newest change that the delivered value includes.
    @usableFromInline package var number: UInt64

    @_alwaysEmitIntoClient
    init(subject: AnyObject, kind: KeyValueChangeKind, phase: Phase, elements: ElementsChange?) {
        self.subject = Unretained(subject)
        self.kind = kind
        self.phase = phase
        self.elements = elements
        isByHand = false
        cutoff = 0
        number = 0
    }

    mutating func settle(_ cutoff: UInt64, _ number: UInt64) { (self.cutoff, self.number) = (cutoff, number) }

    /// Notifies the key paths that depend on a property, but not the property's own observers in `list`, that something has ended that notifies
    /// nobody: a mutation in place, or a manual notification that was cancelled (`isByHand`).
    static func notifyDependentsOfEnd(of subject: AnyObject, _ list: Unretained<ObserverList>, isByHand: Bool = false) {
        guard unsafe list.with({ $0.hasDependents }), var delivery = Delivery(to: list) else { return }
        var event = KeyValueEvent<AnyObject>(subject: subject, phase: .closed, new: nil, old: nil)
        event.header.isByHand = isByHand
        event.deliver(through: &delivery) { $0.isDependency }
        delivery.finish()
    }
}
