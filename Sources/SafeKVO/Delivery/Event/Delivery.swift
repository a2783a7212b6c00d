internal import CSafeKVO
internal import Synchronization

/// A delivery of one event to the observers of one list.
///
/// An observer list holds the infos of one key of one observed object; an *info* is one registration. The delivery pins the record of the
/// observed object. While the pin lasts, every info that the delivery can reach stays in memory, so the delivery walks the list without
/// retaining infos.
///
/// The delivery holds no lock. Call ``finish()`` at its end.
@usableFromInline
package struct Delivery: ~Copyable {
    // SAFETY: The record keeps the list, the observed object keeps the record, and the observed object lives until the delivery ends. The
    // caller of the setter retains the object. If some observer does not retain the object, the delivery itself owns a reference to it,
    // `keepAlive`, which `finish()` releases.
    private let list: Unretained<ObserverList>
    private let pin: DeliveryPins.Pin
    private let keepAlive: Unretained<AnyObject>?
    private var limit: UInt32?
    /// `true` if another delivery has already made the calls before the change, so that this delivery must not repeat them.
    private let wasAnnounced: Bool
    /// `true` if the delivery also notifies observers that another thread registered while the change was made.
    ///
    /// The cutoff serial excludes observers that were registered after the change began. But such an observer may have received the old
    /// value in its initial call, so it needs the new one.
    private var hearsLate: Bool
    /// `true` if observers receive what the property's getter returns, because the object's class may override the getter.
    @usableFromInline var readsThroughGetter = false

    /// Begins a delivery; returns `nil` if the observed object is being deallocated, because such a change notifies nobody.
    ///
    /// - Parameters:
    ///   - list: The list whose observers are notified.
    ///   - limit: The cutoff serial, if the caller has chosen one. An observer that was registered after it is not notified.
    ///   - isAnnounced: `true` if the observers have already been notified before the change.
    ///   - hearsLate: `true` to also notify observers that another thread registered after the cutoff and that may have read the old value.
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

    /// Calls a closure with the list, without retaining the list.
    @inline(__always)
    private func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: The record keeps the list alive until this delivery ends; see the comment at `list`.
        unsafe list.with(body)
    }

    /// The object whose observers are notified.
    @usableFromInline
    var subject: Unretained<AnyObject> { withList { $0.withRecord { $0.subjectReference } } }

    /// `true` if any observer must be notified before the change.
    @usableFromInline
    package var wantsPriorCalls: Bool { withList { $0.wantsPriorCalls } && !wasAnnounced }

    /// `true` if any observer needs whole values, even when only some elements of a collection change.
    var wantsWholeValues: Bool { withList { $0.wantsWholeValues } }

    /// `true` if a manual notification must deliver an event before the change.
    ///
    /// The reason may be an observer that registered for a call before the change. Or a tracked key path depends on the key, and must note
    /// which observers it has by then.
    var concernsAnybodyBefore: Bool { wantsPriorCalls || hasDependents }

    /// `true` if a tracked key path depends on this key.
    ///
    /// A tracked key path is a computed or nested key path whose dependencies the library follows.
    var hasDependents: Bool { withList { $0.hasDependents } }

    /// `true` if a tracked key path depends on this key, and another observer may be called before the change.
    ///
    /// A tracked key path is a computed or nested key path whose dependencies the library follows. It must note its observers before that
    /// call, because the call may register another observer.
    var mustNoteObservers: Bool { withList { $0.hasDependents && $0.callsOthersBefore } }

    /// `true` if any observer needs the old value.
    @usableFromInline
    package var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Notifies the observers.
    ///
    /// If no cutoff serial has been chosen, the first call chooses the current one: it notifies the observers that are registered at that
    /// moment. The first call comes after the write, unless an observer registered for a call before the change. So an observer whose
    /// initial call delivered the old value is notified of the new value.
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
    /// The delivery was begun for one of these lists. Use this only for events that have no call before the change.
    mutating func deliver(_ event: EventPointer, to lists: [Unretained<ObserverList>], box: (EventPointer) -> EventBox) {
        settle()
        ObserverList.deliver(event, to: lists, upTo: limit ?? 0, box: box)
    }

    /// Passes the list, the cutoff serial and `wasAnnounced` to a closure, so that the open batch of this thread can notify the observers
    /// later.
    ///
    /// A batch collects changes and delivers them at its end.
    mutating func postpone(_ body: (_ list: Unretained<ObserverList>, _ limit: UInt32, _ wasAnnounced: Bool) -> Void) {
        body(list, settledLimit, wasAnnounced)
    }

    /// The cutoff serial: observers that were registered after it are not notified.
    ///
    /// The first access chooses the current serial number, if none has been chosen.
    @usableFromInline
    package var settledLimit: UInt32 {
        mutating get {
            let limit = self.limit ?? withList { $0.withRecord { $0.currentSerial } }
            self.limit = limit
            return limit
        }
    }

    /// Returns a new number for a change that has just been made.
    @usableFromInline
    package func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Returns a new number for a change, without atomicity between its steps.
    ///
    /// Use this only for a property that no two threads may change at the same time.
    @usableFromInline
    func numberChangeOfOneThread() -> UInt64 { withList { $0.numberChangeOfOneThread() } }

    /// Excludes observers that other threads register during the change.
    ///
    /// The caller delivers another event to them. Tracked key paths, whose dependencies the library follows, are still notified.
    mutating func leaveOutLate() { hearsLate = false }

    /// Chooses the current serial number as the cutoff serial, if none has been chosen.
    ///
    /// Observers that are registered later are not notified of this change.
    @usableFromInline
    mutating func settle() {
        if limit != nil { return }
        limit = withList { $0.withRecord { $0.currentSerial } }
    }

    /// Marks the property as being mutated in place, or ends that mark.
    ///
    /// To read the property while it is being mutated in place is an exclusivity violation, which traps.
    @usableFromInline
    func setOpen(_ isOpen: Bool) {
        withList { $0.isOpen.store(isOpen, ordering: .relaxed) }
    }

    /// Ends the delivery.
    ///
    /// It releases the pin, and the delivery's reference to the observed object, if it has one.
    @usableFromInline
    package consuming func finish() {
        withList { $0.withRecord { $0.unpin(pin) } }
        // This may release the last reference to the observed object, which keeps the record. So the code below must not use the record.
        unsafe keepAlive?.release()
    }
}
