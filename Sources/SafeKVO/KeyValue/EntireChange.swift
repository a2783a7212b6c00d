extension KeyValueEventHeader {
    /// Delivers an event to the observers of a key, and a change of a property also to those of `\.self`.
    @usableFromInline
    static func deliver(
        _ event: EventPointer, through delivery: inout Delivery, onlyPrior: Bool, box: (EventPointer) -> EventBox
    ) {
        delivery.deliver(event, onlyPrior: onlyPrior, box: box)
        if delivery.mayConcernEntireObject { notifyEntireList(event, through: delivery, onlyPrior: onlyPrior) }
    }

    /// Notifies the observers of `\.self` of a change of a property, after the observers of the property.
    ///
    /// A manual notification may concern several lists, so whoever makes it notifies the observers of `\.self`.
    @inline(never)
    static func notifyEntireList(_ event: EventPointer, through delivery: borrowing Delivery, onlyPrior: Bool) {
        // SAFETY: every event of a key begins with the header. The code that makes the change keeps the observed object alive.
        let (header, subject) = unsafe (event.view(as: Self.self), event.view(as: Self.self).pointee.subject.object)
        if header.pointee.isByHand { return }
        delivery.withList { list in
            if list.property == 0 { return }
            list.record.notifyEntireList(of: subject, onlyPrior: onlyPrior, upTo: header.pointee.cutoff, isOfAtomic: list.isAtomic)
        }
    }
}

extension ObservationRecord {
    /// Notifies the observers of `\.self` with serial numbers up to `cutoff`, before or after a change of `subject`, the observed object.
    ///
    /// The change is the manual notification `open`, or that of a property. What changes inside this thread's manual notification of `\.self` is
    /// part of that notification.
    func notifyEntireList(
        of subject: AnyObject, onlyPrior: Bool, upTo cutoff: UInt64, isOfAtomic: Bool = false, by open: OpenAnnouncement? = nil
    ) {
        guard let reference = observedEntireList else { return }
        // SAFETY: the record keeps its lists.
        let list = unsafe reference.object
        if isChangingHere(list, besides: open) { return }
        if onlyPrior, !list.wantsPriorCalls, open == nil || !list.hasDependents { return }
        let phase: KeyValueEventHeader.Phase = onlyPrior ? .prior : .after
        let number = isOfAtomic || open != nil ? list.takeElsewhere(in: phase, isByHand: open != nil) : nil
        let isSharedChange = number != nil
        guard var delivery = Delivery(to: reference, cutoff: cutoff, hearsLate: !onlyPrior) else { return }
        // References to objects of all classes are alike, so the handlers may expect the value as an instance of any of its classes.
        var event = KeyValueEvent<AnyObject>(
            subject: subject, phase: phase, new: onlyPrior ? nil : subject, old: list.wantsOldValues ? subject : nil)
        event.header.isByHand = open?.concerns(list) ?? false
        event.header.number = number ?? 0
        // Like any other change, one of an atomic property is left to the end of a batch, but for the first calls before it.
        let batch = isSharedChange ? ChangeBatch.current : nil
        let isFirst = batch?.key(of: list) == nil
        batch?.touch(
            list, of: subject, isOver: !onlyPrior, isShared: open == nil, old: { event.old.map { KeptValue($0) } },
            settle: KeyValueEvent<AnyObject>.batchSteps.settle)
        if !isSharedChange {
            event.deliverUnspecialized(through: &delivery, onlyPrior: onlyPrior)
        } else if batch == nil || onlyPrior && isFirst {
            event.deliver(through: &delivery) {
                $0.mayBeCalledHere(isByHand: open != nil) && (!onlyPrior || $0.isDependency || $0.wantsPriorCall)
            }
        }
        delivery.finish()
    }
}

extension ObserverList {
    /// Handles a change that another isolation may have made, for observers who must not be called here; returns nil if there are none,
    /// otherwise the number of the change.
    ///
    /// It is a change of an atomic property, which any thread may make, or a manual notification (`isByHand`).
    func takeElsewhere(in phase: KeyValueEventHeader.Phase, isByHand: Bool) -> UInt64? {
        // Choose all of them first: `takeElsewhere(_:)` may run code of the program, which may end other observations.
        let elsewhere = infos().filter { !$0.mayBeCalledHere(isByHand: isByHand) }
        if elsewhere.isEmpty { return nil }
        let number = phase == .after ? numberChange() : 0
        for info in elsewhere where phase == .after || info.flags.contains(.priorCall) { ObservationBroker.shared.takeElsewhere(info) }
        return number
    }
}
