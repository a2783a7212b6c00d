internal import CSafeKVO
internal import Synchronization

/// The keys that one thread changes inside `withBatchedChanges`.
///
/// At the end, observers get one change for each changed key. Until then, the batch retains the changed objects.
final class ChangeBatch {
    private var keys: [TouchedKey] = []
    private var places: [ObjectIdentifier: Int] = [:]
    /// The place of the key that was changed last, tried first because consecutive changes mostly concern one key.
    private var recent = 0

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

    private func place(of list: ObserverList) -> Int? {
        if keys.indices.contains(recent), keys[recent].list === list { return recent }
        guard let place = places[ObjectIdentifier(list)] else { return nil }
        recent = place
        return place
    }

    /// The newest serial number at the last change of a key; nil if the batch has not changed the key.
    func limit(of list: ObserverList) -> UInt64? { place(of: list).map { keys[$0].limit } }

    /// Notes a change, of which the observers with serial numbers up to `limit` are notified at the end.
    ///
    /// - Parameters:
    ///   - limit: nil for all present observers.
    ///   - isOver: `false` if the change begins.
    ///   - isShared: `true` if another isolation may have made the change, so that handlers that one thread at a time may use must not be called
    ///     for it.
    ///   - old: Returns the value before the change, in an ``OldValue``. Called only for the first change of the key.
    func touch(
        _ list: ObserverList, of subject: AnyObject, upTo limit: UInt64? = nil, isOver: Bool = true, isShared: Bool = false,
        old: () -> AnyObject?, settle: @escaping TouchedKey.Settling
    ) {
        // Whoever registers later is not notified of this change. So a change that nobody observes is not noted.
        if isBeingDestroyed(subject) || !list.hasObservers { return }
        let limit = limit ?? list.withRecord { $0.currentSerial }
        let known = place(of: list)
        let place = known ?? keys.count
        if known == nil {
            places[ObjectIdentifier(list)] = place
            recent = place
            keys.append(TouchedKey(list, of: subject, limit: limit, isShared: true, old: old(), settle: settle))
        }
        keys[place].limit = limit
        if isOver { (keys[place].isChanged, keys[place].settle) = (true, settle) }
        if isOver, !isShared { keys[place].isShared = false }
    }

    // MARK: The end

    private func notify() {
        // Read all values before any handler may change them.
        var events: [(key: TouchedKey, event: EventBox)] = []
        for key in keys where key.isChanged { if let event = key.event() { events.append((key, event)) } }
        if events.count == 1 { return notify(events) }
        var order: [ObjectIdentifier: Int] = [:]
        var groups: [[(key: TouchedKey, event: EventBox)]] = []
        for event in events {
            let place = order[ObjectIdentifier(event.key.subject), default: groups.count]
            if place == groups.count {
                order[ObjectIdentifier(event.key.subject)] = place
                groups.append([])
            }
            groups[place].append(event)
        }
        for group in groups { notify(group) }
    }

    /// Notifies the observers of several keys of one object, in the order of their registration, and those of `\.self` last.
    private func notify(_ group: [(key: TouchedKey, event: EventBox)]) {
        var calls = group.flatMap { key, event in key.infos.map { (list: key.list, event: event, info: $0) } }
        if group.count > 1 {
            let entire = group[0].key.list.withRecord { $0.observedEntireList }
            let isLast = { Unretained($0) == entire }
            calls.sort { isLast($0.list) == isLast($1.list) ? $0.info.isBefore($1.info) : isLast($1.list) }
        }
        for (list, event, info) in calls {
            // SAFETY: the frame is used only inside this closure, and `calls` retains the registration to which it refers.
            DeliveryFrame.run(Unretained(list)) { frame in
                frame.call(info)
                event.withEvent { pointer in ObservationBroker.shared.forward(pointer, to: info) { _ in event } }
            }
        }
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

extension KeyValueEvent {
    /// Leaves a change to the end of this thread's batch.
    ///
    /// Two kinds of calls are not delayed: the first call that an observer with the option `.prior` gets before a change (`onlyPrior`), and
    /// calls that inform dependent key paths.
    @usableFromInline
    @inline(never)
    static func postpone(_ event: EventPointer, through delivery: inout Delivery, onlyPrior: Bool) {
        guard let batch = ChangeBatch.current else { return }
        // SAFETY: the only caller passes a pointer to a `KeyValueEvent<Value>`.
        let change = unsafe event.view(as: Self.self)
        delivery.postpone(of: change.pointee.header.subject) { list, subject, limit in
            if isBeingDestroyed(subject) { return }
            let isSetting = change.pointee.header.kind == .setting
            let old = { (isSetting ? change.pointee.old : change.pointee.wholeOld).map { OldValue($0) } }
            if onlyPrior {
                let noted = batch.limit(of: list)
                batch.touch(list, of: subject, upTo: limit, isOver: false, old: old, settle: Self.settle)
                list.deliver(event, upTo: limit, box: { KeyValueEventBox<Value>(copying: $0) }) { info in
                    info.isDependency || info.flags.contains(.priorCall) && noted.map { info.isLinked(after: $0) } ?? true
                }
                return
            }
            // Observers that other threads have registered since the change began may have read the old value.
            let isAlone = list.lateInfos(after: limit).isEmpty
            batch.touch(list, of: subject, upTo: isAlone ? limit : nil, old: old, settle: settling(of: list, change.pointee.whole))
            // Key paths may have begun to depend on this property during the change. The present serial number includes their links.
            let present = list.withRecord { $0.currentSerial }
            list.deliver(event, upTo: present, box: { KeyValueEventBox<Value>(copying: $0) }) { $0.isDependency }
        }
        if delivery.mayConcernEntireObject { KeyValueEventHeader.tellEntireList(event, through: delivery, onlyPrior: onlyPrior) }
    }

    /// Returns how the value of a key is found at the end of a batch: it is read, or it is `last` if the key belongs to another system.
    private static func settling(of list: ObserverList, _ last: Value?) -> TouchedKey.Settling {
        if list.hook.map({ $0 is TrackedPath }) ?? true { return settle }
        return { list, subject, old in
            last.map { KeyValueEventBox(Self(subject: subject, phase: .after, new: $0, old: OldValue.value(in: old))) }
        }
    }

    /// Reads the value of a key at the end of a batch, and returns the event for its observers.
    static func settle(_ list: ObserverList, _ subject: AnyObject, _ old: AnyObject?) -> EventBox? {
        if let path = list.hook as? TrackedPath { return path.settle(subject, old: old) }
        let number = list.numberChange()
        guard let value = list.keyPath.flatMap({ value(of: subject, at: $0) }) else { return nil }
        var change = Self(subject: subject, phase: .after, new: value, old: OldValue.value(in: old))
        change.header.number = number
        list.markUnlessNewest(number)
        return KeyValueEventBox(change)
    }

    package mutating func withPointer(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        EventPointer.with(mutable: &self) { body($0) { KeyValueEventBox<Value>(copying: $0) } }
    }
}
