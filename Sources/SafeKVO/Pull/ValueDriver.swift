/// Who looks at one value of one object.
class ValueDriver<Object: AnyObject, Value>: PullDriver, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) constants. The key path is used where the driver looks, and only there: in `isolation`; without one,
    // the key path is `Sendable`. `priorLimit` is written in `isolation`; without one, nobody can be called before a change, and it stays nil.

    /// Keeps the list.
    final let record: ObservationRecord
    private let list: Unretained<ObserverList>
    final let keyPath: KeyPath<Object, Value>
    /// Where it is looked at; nil for anywhere.
    final let isolation: PullIsolation?
    /// The serial number at which observers were called before a change that they have not been called after yet.
    private var priorLimit: UInt32?

    init(_ record: ObservationRecord, _ list: ObserverList, _ keyPath: KeyPath<Object, Value>, isolation: PullIsolation?) {
        self.record = record
        self.list = Unretained(list)
        self.keyPath = keyPath
        self.isolation = isolation
        super.init()
    }

    /// Whether this looks where an observer asked for it.
    final func isIsolation(of actor: (any Actor)?) -> Bool {
        switch (isolation, actor) {
        case (nil, nil): true
        case (let isolation?, let actor?): isolation.isIsolation(of: actor)
        default: false
        }
    }

    /// The object; if it is gone, its observations end.
    final func livingObject() -> Object? {
        guard let subject = record.livingSubject else {
            record.subjectDidDie()
            return nil
        }
        // SAFETY: the record is that of an object of this class.
        return unsafe unsafeDowncast(subject, to: Object.self)
    }

    /// Whether any observer wants old values.
    final var wantsOldValues: Bool { unsafe list.with { $0.wantsOldValues } }

    /// Whether any observer wants to be told before a change.
    final var wantsPriorCalls: Bool { unsafe list.with { $0.wantsPriorCalls } }

    /// Reads the value for the library: no getter that is being followed reads it.
    final func value(of object: Object) -> Value {
        Recording.suspended { object[keyPath: keyPath] }
    }

    /// Tells the observers.
    final func tell(_ phase: KeyValueEventHeader.Phase, of object: Object, new: Value?, old: Value?) {
        guard var delivery = Delivery(to: list) else { return }
        var event = KeyValueEvent(subject: object, phase: phase, new: new, old: old)
        let begun = priorLimit
        event.header.limit = begun ?? delivery.settledLimit
        if phase == .prior { priorLimit = event.header.limit } else if begun != nil { priorLimit = nil }
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the call only.
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer))) {
                TypedEventBox<KeyValueEvent<Value>>(copying: $0)
            } where: {
                isDriving($0) && (phase != .prior || $0.flags.contains(.priorCall))
            }
        }
        delivery.finish()
    }

    /// Ends the observations of observers that are gone, which nothing may ever happen to reveal.
    final func forgetDeadObservers() {
        endObservations(for: .observerDeinitialized) { info in info.ifKept { info.withOwner { $0.isObserverGone } } ?? false }
    }

    /// Nobody can look any more, because the actor is gone in which that was done, and its observers with it.
    final func isolationDidDie() {
        endObservations(for: .observerDeinitialized) { _ in true }
    }

    /// Ends those of the observations that the caller picks.
    final func endObservations(for reason: ObservationEndReason, where isMeant: (ObservationInfo) -> Bool) {
        for info in unsafe list.object.infos() where isDriving(info) && isMeant(info) { info.end(for: reason) }
    }

    /// Whether an observation is one of those that this looks for.
    private func isDriving(_ info: ObservationInfo) -> Bool {
        info.ifKept { info.withExtras { $0.driver === self } } ?? false
    }

    // MARK: What subclasses say

    /// Somebody is about to observe: looks, so that what changed before is told to those who are there and to nobody else.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keepsOldValue: Whether the old value of the next change is wanted.
    func prepare(_ object: Object, keepsOldValue: Bool) {}

    /// Whether nothing that was read can ever say that it changes.
    var isSilent: Bool { false }

    /// The value that an observer is told first.
    func initialValue(of object: Object) -> Value { value(of: object) }
}
