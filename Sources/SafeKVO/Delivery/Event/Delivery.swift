internal import CSafeKVO
internal import Synchronization

/// The delivery of one event to the observers of one key of one object.
///
/// A *record* holds all observations of the object, and a *list* holds those of one key. The delivery *pins* the
/// record: until `finish()`, removed registrations stay in memory. So the delivery walks the list without a lock.
///
/// Registrations have serial numbers in the order in which they were added. A registration with a number above the
/// *cutoff serial* of a delivery is not notified, because it was added after the change began.
@usableFromInline
package struct Delivery: ~Copyable {
    // SAFETY: the record keeps the list, and the observed object keeps the record. Until `finish()`, the code that
    // makes the change retains the object, or this delivery does (`keepAlive`).
    private let list: Unretained<ObserverList>
    private let pin: EpochPins.Pin
    private let keepAlive: Unretained<AnyObject>?
    private var limit: UInt32?
    private let wasAnnounced: Bool
    private var hearsLate: Bool
    @usableFromInline var readsThroughGetter = false

    /// Begins a delivery, or returns `nil` if the observed object is being deallocated.
    ///
    /// - Parameters:
    ///   - limit: The number of the newest registration to notify, or `nil` to choose it later.
    ///   - isAnnounced: `true` if the observers that registered for a call before the change have been called already.
    ///   - hearsLate: `true` to also notify observers that another thread registers during the change, whose initial
    ///     call may have delivered the old value.
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

    @inline(__always)
    private func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: the record keeps the list alive until `finish()`.
        unsafe list.with(body)
    }

    @usableFromInline
    var subject: Unretained<AnyObject> { withList { $0.withRecord { $0.subjectReference } } }

    @usableFromInline
    package var wantsPriorCalls: Bool { withList { $0.wantsPriorCalls } && !wasAnnounced }

    @usableFromInline
    var wantsWholeValues: Bool { withList { $0.wantsWholeValues } }

    /// `true` if a manual notification must also be delivered before the change.
    var concernsAnybodyBefore: Bool { wantsPriorCalls || hasDependents }

    /// `true` if a computed or nested key path depends on this key.
    var hasDependents: Bool { withList { $0.hasDependents } }

    /// `true` if each key path that depends on this key must note its observers before a change.
    ///
    /// Other handlers that run before the change may register observers, which must not be notified of it.
    var mustNoteObservers: Bool { withList { $0.hasDependents && $0.callsOthersBefore } }

    @usableFromInline
    package var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    @usableFromInline
    mutating func deliver(_ event: EventPointer, onlyPrior: Bool, box: (EventPointer) -> EventBox) {
        let limit = settledLimit
        let hearsLate = hearsLate
        withList { $0.deliver(event, onlyPrior: onlyPrior, upTo: limit, hearsLate: hearsLate, box: box) }
    }

    mutating func deliver(_ event: EventPointer, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool) {
        let limit = settledLimit
        withList { $0.deliver(event, upTo: limit, box: box, where: isMeant) }
    }

    /// Notifies the observers of several lists of one record, in order of registration.
    ///
    /// One of them must be this delivery's list, and the change must have been made.
    mutating func deliver(_ event: EventPointer, to lists: [Unretained<ObserverList>], box: (EventPointer) -> EventBox) {
        ObserverList.deliver(event, to: lists, upTo: settledLimit, box: box)
    }

    /// Passes to a closure what a batch of changes stores to make this delivery later.
    mutating func postpone(_ body: (_ list: Unretained<ObserverList>, _ limit: UInt32, _ wasAnnounced: Bool) -> Void) {
        body(list, settledLimit, wasAnnounced)
    }

    /// The cutoff serial: registrations with a greater serial number are not notified.
    ///
    /// The first access chooses the object's newest serial number.
    @usableFromInline
    package var settledLimit: UInt32 {
        mutating get {
            let limit = self.limit ?? withList { $0.withRecord { $0.currentSerial } }
            self.limit = limit
            return limit
        }
    }

    /// Assigns the next serial number to a change that has just been made, and returns it.
    @usableFromInline
    package func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Does the same as `numberChange()`, but faster and only for one thread at a time.
    @usableFromInline
    func numberChangeOfOneThread() -> UInt64 { withList { $0.numberChangeOfOneThread() } }

    /// Makes this delivery leave out observers that other threads register during the change.
    ///
    /// The caller must send them another event.
    mutating func leaveOutLate() { hearsLate = false }

    /// Chooses the cutoff serial now, unless it has been chosen before.
    @usableFromInline
    mutating func settle() {
        _ = settledLimit
    }

    @usableFromInline
    func setOpen(_ isOpen: Bool) {
        withList { $0.setOpen(isOpen) }
    }

    @usableFromInline
    package consuming func finish() {
        withList { $0.withRecord { $0.unpin(pin) } }
        // This must come last: without `keepAlive`, the observed object and its record may be deallocated.
        unsafe keepAlive?.release()
    }
}
