internal import CSafeKVO
internal import Synchronization

/// One event on its way to the observers of one list: the record is pinned, so that infos can be walked without being retained.
///
/// No lock is held. Call ``finish()`` at the end.
@usableFromInline
struct Delivery: ~Copyable {
    // SAFETY: the list is kept by its record, the record by the subject, and the subject lives until the delivery ends: the caller of
    // the setter holds it, and where observers do not retain it, `keepAlive` does.
    private let list: Unretained<ObserverList>
    private let pin: DeliveryPins.Pin
    private let keepAlive: AnyObject?
    private var limit: UInt32?
    /// Whether observers were called before the change.
    private var isAnnounced = false

    /// Begins a delivery; nil if the subject is dying, whose changes are nobody's business any more.
    @usableFromInline
    init?(to list: Unretained<ObserverList>, limit: UInt32? = nil) {
        let prepared: (pin: DeliveryPins.Pin, keepAlive: AnyObject?)? = list.with {
            $0.withRecord { record in
                var keepAlive: AnyObject?
                if record.mayDieObserved {
                    keepAlive = record.livingSubject
                    if keepAlive == nil { return nil }
                }
                return (record.pins.pin(), keepAlive)
            }
        }
        guard let prepared else { return nil }
        self.list = list
        pin = prepared.pin
        keepAlive = prepared.keepAlive
        self.limit = limit
    }

    /// Whether anybody wants a call before the change.
    @usableFromInline
    var wantsPriorCalls: Bool { list.with { $0.wantsPriorCalls } }

    /// Whether anybody wants old values.
    @usableFromInline
    var wantsOldValues: Bool { list.with { $0.wantsOldValues } }

    /// Calls the observers.
    ///
    /// Unless that is settled, the first call decides who is heard from: those who are there now. It comes after the write, unless somebody
    /// wants to be called before it; so an observer that read the old value as its initial one is there.
    @usableFromInline
    mutating func deliver(_ event: EventPointer, onlyPrior: Bool, box: (EventPointer) -> EventBox) {
        let limit = self.limit ?? list.with { $0.withRecord { $0.currentSerial } }
        self.limit = limit
        if onlyPrior {
            isAnnounced = true
            list.with { $0.withRecord { $0.beginOpenChange() } }
        }
        list.with { $0.deliver(event, onlyPrior: onlyPrior, upTo: limit, box: box) }
        if isAnnounced, !onlyPrior {
            isAnnounced = false
            list.with { list in
                for late in list.withRecord({ $0.endOpenChange(after: limit) }) where late.list == Unretained(list) {
                    ObservationBroker.shared.forward(event, to: late, box: box)
                }
            }
        }
    }

    /// Decides who is heard from: those who are there now.
    @usableFromInline
    mutating func settle() {
        limit = list.with { $0.withRecord { $0.currentSerial } }
    }

    /// Says that the property is open for change in place on this thread, or no longer is.
    @usableFromInline
    func setModifying(_ isModifying: Bool) {
        list.with { $0.modifyingThread.store(isModifying ? safekvo_thread() : 0, ordering: .relaxed) }
    }

    /// Ends the delivery.
    @usableFromInline
    consuming func finish() {
        // A change that was announced and then not made.
        if isAnnounced { _ = list.with { $0.withRecord { $0.endOpenChange(after: limit ?? 0) } } }
        list.with { $0.withRecord { $0.unpin(pin) } }
        // What is released with `self` may be the last reference to the subject; nothing of the record is touched after.
    }
}
