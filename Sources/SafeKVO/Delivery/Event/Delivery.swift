internal import CSafeKVO
internal import Synchronization

/// The delivery of one event to the observers of one key of one object.
///
/// The delivery pins the object's record: while the pin lasts, every registration that the delivery can reach stays in memory. So the
/// delivery walks the list of registrations without a lock and without retaining them. Call ``finish()`` at its end.
@usableFromInline
package struct Delivery: ~Copyable {
    // SAFETY: The observed object keeps the record, and the record keeps the list. The caller of the setter retains the observed object. If
    // some observer does not retain the object, the delivery retains it as `keepAlive` until `finish()`.
    private let list: Unretained<ObserverList>
    private let pin: DeliveryPins.Pin
    private let keepAlive: Unretained<AnyObject>?
    private var limit: UInt32?
    /// `true` if the observers have already been called before the change, so that this delivery must not repeat these calls.
    private let wasAnnounced: Bool
    /// `true` if this delivery also notifies observers that another thread registered during the change.
    ///
    /// The initial call of such an observer may have delivered the old value, so the observer needs the new one.
    private var hearsLate: Bool
    /// `true` if observers receive the result of the property's getter, because the object's class may override the getter.
    @usableFromInline var readsThroughGetter = false

    /// Begins a delivery; returns `nil` if the observed object is being deallocated, because then nobody is notified.
    ///
    /// - Parameters:
    ///   - list: The list whose observers are notified.
    ///   - limit: The cutoff serial, if the caller has chosen one. Observers with a greater serial number are not notified.
    ///   - isAnnounced: `true` if the observers have already been called before the change.
    ///   - hearsLate: `true` to also notify observers that another thread registered during the change and that may have got the old value.
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
        // SAFETY: The record keeps the list alive until this delivery ends; see the comment at `list`.
        unsafe list.with(body)
    }

    /// The object whose observers are notified.
    @usableFromInline
    var subject: Unretained<AnyObject> { withList { $0.withRecord { $0.subjectReference } } }

    /// `true` if any observer must be called before the change.
    @usableFromInline
    package var wantsPriorCalls: Bool { withList { $0.wantsPriorCalls } && !wasAnnounced }

    /// `true` if any observer needs the whole collection, even if only some of its elements change.
    var wantsWholeValues: Bool { withList { $0.wantsWholeValues } }

    /// `true` if a manual notification must deliver an event before the change.
    ///
    /// There are two reasons: an observer needs a call before the change, or a computed or nested key path depends on this key. Such a key
    /// path then notes which observers it has.
    var concernsAnybodyBefore: Bool { wantsPriorCalls || hasDependents }

    /// `true` if a computed or nested key path depends on this key.
    var hasDependents: Bool { withList { $0.hasDependents } }

    /// `true` if the key paths that depend on this key must note their observers before the change.
    ///
    /// That is necessary if another observer is called before the change, because its handler may register more observers.
    var mustNoteObservers: Bool { withList { $0.hasDependents && $0.callsOthersBefore } }

    /// `true` if any observer needs the value before the change.
    @usableFromInline
    package var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Notifies the observers, except those that registered after the cutoff serial was chosen.
    ///
    /// If no cutoff serial has been chosen, the first call chooses the present serial number.
    @usableFromInline
    mutating func deliver(_ event: EventPointer, onlyPrior: Bool, box: (EventPointer) -> EventBox) {
        let limit = settledLimit
        let hearsLate = hearsLate
        withList { $0.deliver(event, onlyPrior: onlyPrior, upTo: limit, hearsLate: hearsLate, box: box) }
    }

    /// Notifies those observers for which a closure returns `true`.
    mutating func deliver(_ event: EventPointer, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool) {
        let limit = settledLimit
        withList { $0.deliver(event, upTo: limit, box: box, where: isMeant) }
    }

    /// Notifies the observers of several lists of one record, in order of registration.
    ///
    /// The delivery must have been begun for one of these lists. The event must not be one that is delivered before a change.
    mutating func deliver(_ event: EventPointer, to lists: [Unretained<ObserverList>], box: (EventPointer) -> EventBox) {
        settle()
        ObserverList.deliver(event, to: lists, upTo: limit ?? 0, box: box)
    }

    /// Passes the parts of this delivery to a closure, which stores them so that a batch can notify the observers at its end.
    mutating func postpone(_ body: (_ list: Unretained<ObserverList>, _ limit: UInt32, _ wasAnnounced: Bool) -> Void) {
        body(list, settledLimit, wasAnnounced)
    }

    /// The cutoff serial: observers with a greater serial number are not notified.
    ///
    /// The first access chooses the present serial number, if none has been chosen.
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

    /// Does the same as `numberChange()`, but faster.
    ///
    /// Two threads must not call this at the same time, because they could get the same number.
    @usableFromInline
    func numberChangeOfOneThread() -> UInt64 { withList { $0.numberChangeOfOneThread() } }

    /// Excludes observers that other threads register during the change; the caller delivers another event to them.
    mutating func leaveOutLate() { hearsLate = false }

    /// Chooses the present serial number as the cutoff serial, if none has been chosen.
    ///
    /// Observers that register later are not notified of this change.
    @usableFromInline
    mutating func settle() {
        if limit != nil { return }
        limit = withList { $0.withRecord { $0.currentSerial } }
    }

    /// Notes that code begins or ends to mutate the property in place; a read of the property in between would trap.
    @usableFromInline
    func setOpen(_ isOpen: Bool) {
        withList { $0.setOpen(isOpen) }
    }

    /// Ends the delivery: releases the pin and, if this delivery retained it, the observed object.
    @usableFromInline
    package consuming func finish() {
        withList { $0.withRecord { $0.unpin(pin) } }
        // This is the last step, because it may deallocate the observed object and its record.
        unsafe keepAlive?.release()
    }
}
