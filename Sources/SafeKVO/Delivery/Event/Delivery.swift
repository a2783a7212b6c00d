internal import CSafeKVO
internal import Synchronization

/// The delivery of one event to the observers of one key of one object.
///
/// A handler may remove registrations during the delivery. So the delivery *pins* the object's record of observations: removed
/// registrations stay in memory until `finish()`, and no lock is needed.
///
/// Registrations have serial numbers in the order in which they were added. A delivery skips numbers above its *cutoff serial*, which
/// were assigned after the change began.
@usableFromInline
package struct Delivery: ~Copyable {
    // SAFETY: the record keeps the list, and the observed object keeps the record. Until `finish()`, the code that
    // makes the change retains the object, or this delivery does (`keepAlive`).
    private let list: Unretained<ObserverList>
    private let keepAlive: Unretained<AnyObject>?
    private var cutoff: UInt64?
    private let pin: EpochPins.Pin
    private let wasAnnounced: Bool
    private var hearsLate: Bool
    @usableFromInline var readsThroughGetter = false

    /// Begins a delivery to the observers in `list`; returns `nil` if the observed object is being deallocated.
    ///
    /// - Parameters:
    ///   - cutoff: The serial number of the newest registration to notify, or `nil` to choose it later.
    ///   - hearsLate: `true` to also notify observers that another thread registers during the change.
    @usableFromInline
    package init?(to list: Unretained<ObserverList>, cutoff: UInt64? = nil, isAnnounced: Bool = false, hearsLate: Bool = true) {
        var begun: ObservationRecord.Kept?
        unsafe list.with { $0.withRecord { begun = $0.beginDelivery() } }
        guard let kept = consume begun else { return nil }
        self.list = list
        keepAlive = kept.object.map { Unretained($0) }
        pin = kept.pin
        unsafe keepAlive?.retain()
        self.cutoff = cutoff
        wasAnnounced = isAnnounced
        self.hearsLate = hearsLate
    }

    @inline(__always)
    func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: the record keeps the list alive until `finish()`.
        unsafe list.with(body)
    }

    /// Calls a closure with the list and the pin of its record.
    func withPinned(_ body: (ObserverList, borrowing EpochPins.Pin) -> Void) { withList { body($0, pin) } }

    @usableFromInline
    var subject: Unretained<AnyObject> { withList { $0.withRecord { $0.subjectReference } } }

    @usableFromInline
    package var wantsPriorCalls: Bool {
        withList { list in list.wantsPriorCalls || list.withRecord { $0.wantsPriorCallsOfEntire } } && !wasAnnounced
    }

    /// `true` if there may be observers of `\.self`.
    var mayConcernEntireObject: Bool { withList { $0.withRecord { $0.mayBeObservedEntirely } } }

    @usableFromInline
    var wantsWholeValues: Bool { withList { $0.wantsWholeValues } }

    /// `true` if a computed or nested key path depends on this key.
    @usableFromInline
    var hasDependents: Bool { withList { $0.hasDependents } }

    @usableFromInline
    package var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    @usableFromInline
    package mutating func deliver(_ event: EventPointer, onlyPrior: Bool, box: (EventPointer) -> EventBox) {
        let cutoff = settledCutoff
        let hearsLate = hearsLate
        withList { $0.deliver(event, onlyPrior: onlyPrior, upTo: cutoff, hearsLate: hearsLate, pinnedBy: pin, box: box) }
    }

    mutating func deliver(_ event: EventPointer, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool) {
        let cutoff = settledCutoff
        let hearsLate = hearsLate
        withList { $0.deliver(event, upTo: cutoff, hearsLate: hearsLate, pinnedBy: pin, box: box, where: isMeant) }
    }

    /// The cutoff serial: registrations with greater serial numbers were added after the change began, and are skipped.
    ///
    /// Some of them are notified nevertheless (see `ObservationInfo.isLate`). If `init` got no cutoff, the first access chooses the serial
    /// number of the newest registration.
    @usableFromInline
    package var settledCutoff: UInt64 {
        mutating get {
            let cutoff = self.cutoff ?? withList { $0.withRecord { $0.currentSerial } }
            self.cutoff = cutoff
            return cutoff
        }
    }

    @usableFromInline
    package func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Gives a change its serial number, faster than `numberChange()`.
    ///
    /// Only one thread at a time may call this function.
    @usableFromInline
    func numberChangeOfOneThread() -> UInt64 { withList { $0.numberChangeOfOneThread() } }

    /// Makes this delivery skip the observers that register from now on.
    ///
    /// Returns `false`, and does nothing, if another thread has registered an observer since the change began.
    @usableFromInline
    mutating func leaveOutLate() -> Bool {
        let cutoff = settledCutoff
        hearsLate = withList { $0.hasInfosOfOtherThreads(after: cutoff) }
        return !hearsLate
    }

    /// Chooses the cutoff serial now, so that the delivery skips observers that register from now on.
    ///
    /// A few of these observers are notified nevertheless (see `ObservationInfo.isLate`).
    @usableFromInline
    mutating func settle() {
        _ = settledCutoff
    }

    @usableFromInline
    func setOpen(_ isOpen: Bool) {
        withList { $0.isOpen.store(isOpen, ordering: .relaxed) }
    }

    @usableFromInline
    package consuming func finish() {
        let (list, keepAlive) = (list, keepAlive)
        // A closure can only take a value that cannot be copied out of a variable.
        var pin: EpochPins.Pin? = pin
        // SAFETY: the record keeps the list alive until the object is released, which comes last.
        unsafe list.with { $0.withRecord { if let pin = pin.take() { $0.unpin(pin) } } }
        unsafe keepAlive?.release()
    }
}
