internal import CSafeKVO
internal import Synchronization

/// One event on its way to the observers of one list: the record is pinned, so that infos can be walked without being retained.
///
/// No lock is held. Call ``finish()`` at the end.
@usableFromInline
package struct Delivery: ~Copyable {
    // SAFETY: the list is kept by its record, the record by the subject, and the subject lives until the delivery ends: the caller of
    // the setter holds it, and where observers do not retain it, the delivery owns a reference, `keepAlive`, which `finish()` releases.
    private let list: Unretained<ObserverList>
    private let pin: DeliveryPins.Pin
    private let keepAlive: Unretained<AnyObject>?
    private var limit: UInt32?
    /// Whether observers were called before the change in a delivery of its own, so that they are not called again.
    private let wasAnnounced: Bool
    /// Whether who registered on another thread since that was settled, and perhaps read the old value as its initial one, is told too.
    private var hearsLate: Bool
    /// `true` if observers are handed what the getter of a property returns, which may be an override.
    @usableFromInline var readsThroughGetter = false

    /// Begins a delivery; nil if the subject is dying, whose changes are nobody's business any more.
    ///
    /// - Parameters:
    ///   - list: Whom to call.
    ///   - limit: Who is heard from, if that is settled.
    ///   - isAnnounced: Whether observers were called before the change already.
    ///   - hearsLate: Whether who registered on another thread since, and may have read the old value, is told too.
    @usableFromInline
    package init?(to list: Unretained<ObserverList>, limit: UInt32? = nil, isAnnounced: Bool = false, hearsLate: Bool = true) {
        guard let prepared = unsafe list.with({ $0.withRecord { $0.beginDelivery() } }) else { return nil }
        self.list = list
        pin = prepared.pin
        keepAlive = prepared.keepAlive.map { Unretained($0) }
        unsafe keepAlive?.retain()
        self.limit = limit
        wasAnnounced = isAnnounced
        self.hearsLate = hearsLate
    }

    /// Uses the list without taking a reference.
    @inline(__always)
    private func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: see `list`.
        unsafe list.with(body)
    }

    /// The object whose observers are called.
    @usableFromInline
    var subject: Unretained<AnyObject> { withList { $0.withRecord { $0.subjectReference } } }

    /// Whether anybody wants a call before the change.
    @usableFromInline
    package var wantsPriorCalls: Bool { withList { $0.wantsPriorCalls } && !wasAnnounced }

    /// Whether anybody wants whole values.
    var wantsWholeValues: Bool { withList { $0.wantsWholeValues } }

    /// Whether anybody is to be told before the change is made by hand: who wants to be called, or notes who observes by then.
    var concernsAnybodyBefore: Bool { wantsPriorCalls || hasDependents }

    /// Whether a path depends on what changes.
    var hasDependents: Bool { withList { $0.hasDependents } }

    /// Whether a path depends on what changes, and somebody else may be called before it is.
    var mustNoteObservers: Bool { withList { $0.hasDependents && $0.callsOthersBefore } }

    /// Whether anybody wants old values.
    @usableFromInline
    package var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Calls the observers.
    ///
    /// Unless that is settled, the first call decides who is heard from: those who are there now. It comes after the write, unless somebody
    /// wants to be called before it; so an observer that read the old value as its initial one is there.
    @usableFromInline
    mutating func deliver(_ event: EventPointer, onlyPrior: Bool, box: (EventPointer) -> EventBox) {
        let limit = settledLimit
        let hearsLate = hearsLate
        withList { $0.deliver(event, onlyPrior: onlyPrior, upTo: limit, hearsLate: hearsLate, box: box) }
    }

    /// Calls those of the observers that the caller picks.
    mutating func deliver(_ event: EventPointer, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool) {
        let limit = settledLimit
        withList { $0.deliver(event, upTo: limit, box: box, where: isMeant) }
    }

    /// Calls the observers of several lists of one record, in order of registration.
    ///
    /// The delivery was begun for one of them. For events that nobody is told of before.
    mutating func deliver(_ event: EventPointer, to lists: [Unretained<ObserverList>], box: (EventPointer) -> EventBox) {
        settle()
        ObserverList.deliver(event, to: lists, upTo: limit ?? 0, box: box)
    }

    /// Gives the batch that is open on this thread what it needs to call the observers at its end.
    mutating func postpone(_ body: (_ list: Unretained<ObserverList>, _ limit: UInt32, _ wasAnnounced: Bool) -> Void) {
        body(list, settledLimit, wasAnnounced)
    }

    /// Who is heard from: those who are there now, if that is not settled.
    @usableFromInline
    package var settledLimit: UInt32 {
        mutating get {
            let limit = self.limit ?? withList { $0.withRecord { $0.currentSerial } }
            self.limit = limit
            return limit
        }
    }

    /// Numbers a change that was made just now.
    @usableFromInline
    package func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Numbers a change of a property that no two threads may change at once.
    @usableFromInline
    func numberChangeOfOneThread() -> UInt64 { withList { $0.numberChangeOfOneThread() } }

    /// Leaves out who registers on another thread meanwhile, except paths: the caller tells them something else.
    mutating func leaveOutLate() { hearsLate = false }

    /// Decides who is heard from: those who are there now.
    @usableFromInline
    mutating func settle() {
        if limit != nil { return }
        limit = withList { $0.withRecord { $0.currentSerial } }
    }

    /// Says that the property is open for change in place, or no longer is.
    @usableFromInline
    func setOpen(_ isOpen: Bool) {
        withList { $0.isOpen.store(isOpen, ordering: .relaxed) }
    }

    /// Ends the delivery.
    @usableFromInline
    package consuming func finish() {
        withList { $0.withRecord { $0.unpin(pin) } }
        // This may be the last reference to the subject; nothing of the record is touched after.
        unsafe keepAlive?.release()
    }
}
