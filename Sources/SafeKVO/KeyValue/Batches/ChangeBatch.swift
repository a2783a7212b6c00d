internal import CSafeKVO
internal import Synchronization

/// The keys that one thread changes inside `withBatchedChanges`.
///
/// At the end, observers get one change for each changed key. Until then, the batch retains the changed objects.
package final class ChangeBatch {
    private var keys: [TouchedKey] = []
    /// The keys by the address of their list, and the first key of each object by the address of the object, if there are several keys.
    private var known: [UInt: TouchedKey] = [:]
    /// The key that was changed last, tried first because consecutive changes mostly concern one key.
    private var recent: TouchedKey?
    private var kept: [AnyObject] = []

    static var current: ChangeBatch? {
        // SAFETY: the thread-local slot holds zero or a batch. `run` retains that batch until it has cleared the slot.
        unsafe Unretained<ChangeBatch>(word: safekvo_batch())?.object
    }

    /// Runs a closure as a batch, or as a part of the batch that is open on this thread.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if current != nil { return try body() }
        let batch = ChangeBatch()
        safekvo_set_batch(Unretained(batch).word)
        defer {
            safekvo_set_batch(0)
            batch.notify()
        }
        return try body()
    }

    // MARK: Changes

    /// Keeps an object until the batch that is open on this thread has notified all observers.
    package static func keep(_ object: AnyObject) { current?.kept.append(object) }

    /// Returns a key that the batch has changed.
    func key(of list: ObserverList) -> TouchedKey? {
        if let recent, recent.list === list { return recent }
        guard let key = known[Unretained(list).word] else { return nil }
        recent = key
        return key
    }

    private func add(_ key: TouchedKey) {
        if let first = keys.first {
            if known.isEmpty { note(first) }
            note(key)
        }
        keys.append(key)
        recent = key
    }

    @inline(never)
    private func note(_ key: TouchedKey) {
        known[Unretained(key.list).word] = key
        let object = Unretained(key.subject).word
        if known[object] == nil { known[object] = key }
    }

    /// Notes a change, of which the observers with serial numbers up to `cutoff` are notified at the end.
    ///
    /// - Parameters:
    ///   - cutoff: nil for all present observers.
    ///   - isOver: `false` if the change begins.
    ///   - isShared: `true` if another isolation may have made the change, so that handlers that one thread at a time may use must not be called
    ///     for it.
    ///   - old: Returns the value before the change, in an ``OldValue``. Called only for the first change of the key.
    ///   - settle: Makes the event at the end; nil for a derived key.
    func touch(
        _ list: ObserverList, of subject: AnyObject, upTo cutoff: UInt64? = nil, isOver: Bool = true, isShared: Bool = false,
        old: () -> AnyObject?, settle: TouchedKey.Settling? = nil
    ) {
        // Whoever registers later is not notified of this change. So a change that nobody observes is not noted.
        let known = self.key(of: list)
        if known == nil, isBeingDestroyed(subject) || !list.hasObservers { return }
        let key = known ?? TouchedKey(list, of: subject, old: old, settle: settle)
        if known == nil { add(key) }
        // Changes nest: a prior handler may have changed the key, too, and those who registered meanwhile hear of that.
        key.cutoff = max(key.cutoff, cutoff ?? list.withRecord { $0.currentSerial })
        if !isShared { key.isShared = false }
        if isOver { key.isChanged = true }
    }

    // MARK: The end

    private func notify() {
        SchedulePoint.pass(.beforeEndOfBatch)
        // Read all values before any handler may change them. The calls for one object are together, in the order of its first change.
        var objects: [TouchedKey] = []
        for key in keys where key.isChanged {
            guard let event = key.event() else { continue }
            let first = known[Unretained(key.subject).word] ?? key
            if first.calls == nil {
                first.calls = []
                objects.append(first)
            }
            for info in key.infos { first.calls?.append(BatchedCall(key, event, info)) }
        }
        SchedulePoint.pass(.betweenReadAndCallsOfBatch)
        for object in objects { object.calls?.sort { $0.isBefore($1) } }
        for object in objects { for call in object.calls ?? [] { call.run() } }
        for object in objects { object.calls = nil }
        for key in keys { key.end() }
    }
}

/// Makes several changes, and notifies each observer of them as one change.
///
/// ```swift
/// withBatchedChanges {
///     clock.date = date
///     clock.zone = zone
/// }
/// ```
///
/// A batch includes every change that this thread makes inside the closure, of any object. Changes by other threads are delivered
/// immediately. If another thread changes one of the same properties during the batch, the notification at the end may have the value that
/// the other thread wrote, again.
///
/// The observers are notified on this thread when the closure ends, even if it throws. Each observation of a changed key then gets one
/// call, with the value before the first change and the value at the end. Objects come in the order of their first change. Observers of one
/// object are called in the order of their registration, whatever key they observe. Changes that handlers make during these calls are
/// delivered immediately.
///
/// The change at the end is of the kind `.setting`, even if elements of a collection were changed. Its old value is absent if no observer
/// of the key asked for it at the first change. An observer that registers inside the closure is called at the end for the keys that are
/// changed afterwards, with the same old value.
///
/// Observers with the option ``KeyValueObservingOptions/prior`` are also called once before the first change of a key. Batches nest: only
/// the outermost batch notifies. The batch retains changed objects until it has notified their observers.
///
/// - Parameter body: A closure that makes the changes.
/// - Returns: the result of the closure.
/// - Throws: the error of the closure.
@discardableResult
public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try ChangeBatch.run(body)
}

extension KeyValueObservable {
    /// Makes several changes, and notifies each observer of them as one change.
    ///
    /// This is the same as the global function `withBatchedChanges(_:)`: the batch includes changes of this object and of others.
    ///
    /// - Parameter body: A closure that makes the changes.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
    @discardableResult
    public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try ChangeBatch.run(body)
    }
}

extension KeyValueEventHeader {
    /// Leaves a change to the end of this thread's batch.
    ///
    /// Two kinds of calls are not delayed: the first call that an observer with the option `.prior` gets before a change (`onlyPrior`), and
    /// calls that inform dependent key paths.
    @usableFromInline
    @inline(never)
    static func postpone(_ event: EventPointer, through delivery: inout Delivery, onlyPrior: Bool, _ steps: TouchedKey.Steps) {
        guard let batch = ChangeBatch.current else { return }
        let hasDependents = delivery.hasDependents
        // SAFETY: every event of a key begins with the header.
        let header = unsafe event.view(as: Self.self)
        let cutoff = delivery.settledCutoff
        // SAFETY: the sender keeps the object alive.
        let subject = unsafe header.pointee.subject.object
        delivery.withPinned { list, pin in
            if isBeingDestroyed(subject) { return }
            let known = batch.key(of: list).map { (cutoff: $0.cutoff, isShared: $0.isShared) }
            // Observers that other threads have registered since the change began may have read the old value.
            let isAlone = onlyPrior || list.lateInfos(after: cutoff).isEmpty
            batch.touch(
                list, of: subject, upTo: isAlone ? cutoff : nil, isOver: !onlyPrior, old: { steps.old(event) }, settle: steps.settle)
            if !onlyPrior, !hasDependents { return }
            // Key paths may have begun to depend on this property during the change. The present serial number includes their links.
            let present = onlyPrior ? cutoff : list.withRecord { $0.currentSerial }
            list.deliver(event, upTo: present, hearsLate: false, pinnedBy: pin, box: steps.box) { info in
                info.isDependency
                    || onlyPrior && info.wantsPriorCall
                        && known.map { info.isLinked(after: $0.cutoff) || $0.isShared && !info.mayBeCalledHere(isByHand: false) } ?? true
            }
        }
        if delivery.mayConcernEntireObject { notifyEntireList(event, through: delivery, onlyPrior: onlyPrior) }
    }
}

extension KeyValueEvent {
    /// What a batch does with events of this type.
    @_alwaysEmitIntoClient
    static var batchSteps: TouchedKey.Steps {
        TouchedKey.Steps(
            box: { TypedEventBox<Self>(copying: $0) },
            old: {
                // SAFETY: the only caller passes a pointer to a `KeyValueEvent<Value>`.
                let event = unsafe $0.view(as: Self.self)
                return (event.pointee.header.kind == .setting ? event.pointee.old : event.pointee.wholeOld).map { KeptValue($0) }
            },
            settle: { settle($0, $1, number: $2, old: $3) })
    }

    /// Reads the value of a key at the end of a batch, and returns the event for its observers.
    @_alwaysEmitIntoClient
    static func settle(_ list: ObserverList, _ subject: AnyObject, number: UInt64, old: AnyObject?) -> EventBox? {
        guard let value = value(of: subject, in: list) else { return nil }
        var change = Self(subject: subject, phase: .after, new: value, old: OldValue.value(in: old))
        change.header.number = number
        return TypedEventBox(change)
    }

    package mutating func withPointer(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        EventPointer.with(mutable: &self) { body($0) { TypedEventBox<Self>(copying: $0) } }
    }
}
