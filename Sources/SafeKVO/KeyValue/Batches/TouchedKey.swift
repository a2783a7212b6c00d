/// A key of an object that has been changed in a batch.
@usableFromInline
final class TouchedKey {
    let list: ObserverList
    let subject: AnyObject
    // These references keep the record, which owns the list, and the observed object if `subject` is its stand-in.
    private let record: ObservationRecord
    private let observed: AnyObject
    /// The value before the batch's first change, in an ``OldValue``; nil if no observer asked for it then.
    private let old: AnyObject?
    /// The number of the last change before the batch's first one.
    private let number: UInt64
    private let settle: Settling?
    /// The newest serial number at the last change; later observers have not missed any.
    var cutoff: UInt64 = 0
    /// `true` if a change has ended, not only begun.
    var isChanged = false
    /// The calls for the object at the end of the batch, which only the first key of the object has.
    ///
    /// They are made in the order of registration, and those of `\.self` last.
    var calls: [BatchedCall]?
    /// `true` if another isolation may have made each change, so that handlers that one thread at a time may use are not called.
    var isShared = true
    /// The path whose turn the end of the batch has while it calls the observers.
    private var turn: TrackedPath?

    /// Returns the event for the observers at the end of the batch; nil if there is nothing to deliver.
    @usableFromInline
    typealias Settling = (_ list: ObserverList, _ subject: AnyObject, _ number: UInt64, _ old: AnyObject?) -> EventBox?

    /// What a batch does with events, whose type it does not know; the closures capture nothing.
    @usableFromInline
    struct Steps {
        let box: (EventPointer) -> EventBox
        /// Returns the whole value before the change, in an ``OldValue``; nil if the event has none.
        let old: (EventPointer) -> AnyObject?
        let settle: Settling

        @usableFromInline
        init(box: @escaping (EventPointer) -> EventBox, old: @escaping (EventPointer) -> AnyObject?, settle: @escaping Settling) {
            (self.box, self.old, self.settle) = (box, old, settle)
        }
    }

    init(_ list: ObserverList, of subject: AnyObject, old: () -> AnyObject?, settle: Settling?) {
        self.list = list
        self.subject = subject
        record = list.record
        observed = record.subjectOfDelivery
        // A change of another thread that is notified meanwhile has a later number, whether the old value includes it or not.
        number = list.lastChange
        self.old = list.path?.last ?? old()
        self.settle = settle
    }

    /// Reads the value, and returns the event for the observers; nil if there is nothing to deliver.
    func event() -> EventBox? {
        if let path = list.path {
            let event = path.settle(subject, old: old, since: number)
            if event != nil { turn = path }
            return event
        }
        let number = list.numberChange()
        defer { list.markUnlessNewest(number) }
        return settle?(list, subject, number, old)
    }

    /// Gives the turn back, after the calls.
    func end() { turn.take()?.passTurn(subject) }

    var isEntire: Bool { list.withRecord { $0.observedEntireList } == Unretained(list) }

    /// The observers who are notified at the end of the batch.
    var infos: [ObservationInfo] {
        @inline(never)
        get {
            list.infos().filter { !$0.isDependency && !$0.isLinked(after: cutoff) && (!isShared || $0.mayBeCalledHere(isByHand: false)) }
        }
    }
}

/// One call of an observer at the end of a batch.
final class BatchedCall {
    private let key: TouchedKey
    private let event: EventBox
    private let info: ObservationInfo

    init(_ key: TouchedKey, _ event: EventBox, _ info: ObservationInfo) { (self.key, self.event, self.info) = (key, event, info) }

    func isBefore(_ other: BatchedCall) -> Bool {
        key.isEntire == other.key.isEntire ? info.isBefore(other.info) : other.key.isEntire
    }

    func run() {
        // SAFETY: the frame is used only inside this closure, and this object retains the registration to which it refers.
        DeliveryFrame.run(Unretained(key.list)) { frame in
            frame.call(info)
            event.withEvent { ObservationBroker.shared.forward($0, to: info, box: $1) }
        }
    }
}
