/// An object that checks one value of one object for changes and notifies the value's observers.
class ValueDriver<Object: AnyObject, Value>: ObservationDriver, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `priorCutoff` is the only variable. It is written only in `isolation`, and never if `isolation` is
    // `nil`, because then no observer is called before a change. A key path that is not `Sendable` is used only in `isolation`.

    final let record: ObservationRecord
    private let list: Unretained<ObserverList>
    final let keyPath: KeyPath<Object, Value>
    /// The isolation in which the value is read, or `nil` if it may be read on any thread.
    final let isolation: HandlerIsolation?
    /// The newest observer's serial number at the time of the calls before the present change; `nil` if no observer was called.
    ///
    /// Observers with greater numbers registered after these calls, so they are not notified after the change.
    private var priorCutoff: UInt64?

    init(_ record: ObservationRecord, _ list: ObserverList, _ keyPath: KeyPath<Object, Value>, isolation: HandlerIsolation?) {
        self.record = record
        self.list = Unretained(list)
        self.keyPath = keyPath
        self.isolation = isolation
        super.init()
    }

    final func isIsolation(_ other: HandlerIsolation?) -> Bool {
        guard let isolation, let other else { return isolation == nil && other == nil }
        return isolation.isSame(as: other)
    }

    /// Returns the observed object; if it is deallocated, ends its observations and returns `nil`.
    final func livingObject() -> Object? {
        guard let subject = record.livingSubject else {
            record.subjectDidDie()
            return nil
        }
        // SAFETY: `record` holds the observations of an object of class `Object`.
        return unsafe unsafeDowncast(subject, to: Object.self)
    }

    // SAFETY: this object retains `record`, which owns the list.
    final func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    final var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    final var wantsPriorCalls: Bool { withList { $0.wantsPriorCalls } }

    /// Reads the value without recording the read as a dependency of a computed property.
    final func value(of object: Object) -> Value {
        Recording.suspended { object[keyPath: keyPath] }
    }

    final func notify(_ phase: KeyValueEventHeader.Phase, of object: Object, new: Value?, old: Value?) {
        guard var delivery = Delivery(to: list) else { return }
        var event = KeyValueEvent(subject: object, phase: phase, new: new, old: old)
        let begun = priorCutoff
        event.header.cutoff = begun ?? delivery.settledCutoff
        if phase == .prior { priorCutoff = event.header.cutoff } else if begun != nil { priorCutoff = nil }
        if phase == .after { event.header.number = delivery.numberChange() }
        event.withPointer { pointer, box in
            delivery.deliver(pointer, box: box) { isDriving($0) && (phase != .prior || $0.flags.contains(.priorCall)) }
        }
        delivery.finish()
    }

    final func forgetDeadObservers() {
        endObservations(for: .observerDeinitialized) { info in info.withOwner { $0.isObserverGone } ?? false }
    }

    /// Ends all observations, because the actor of `isolation` is deallocated and the value cannot be read any more.
    final func isolationDidDie() {
        endObservations(for: .observerDeinitialized) { _ in true }
    }

    final func endObservations(for reason: ObservationEndReason, where isMeant: (ObservationInfo) -> Bool) {
        for info in withList({ $0.infos() }) where isDriving(info) && isMeant(info) { info.end(for: reason) }
    }

    private func isDriving(_ info: ObservationInfo) -> Bool {
        info.withExtras { $0.driverIdentity == ObjectIdentifier(self) } ?? false
    }

    // MARK: Overridden by subclasses

    /// Called before a new observation begins; a subclass looks for a change first, so that only earlier observers are notified of it.
    ///
    /// `keepsOldValue` is `true` if the new observer wants the old value of the next change.
    func prepare(_ object: Object, keepsOldValue: Bool) {}

    var isSilent: Bool { false }

    func initialValue(of object: Object) -> Value { value(of: object) }
}
