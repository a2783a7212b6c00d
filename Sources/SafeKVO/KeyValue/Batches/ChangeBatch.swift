internal import CSafeKVO
internal import Synchronization

/// The changes that one thread makes inside `withBatchedChanges`.
///
/// At the end, observers get one change for each changed key. Until then, the batch retains the changed objects.
final class ChangeBatch {
    private var entries: [BatchEntry] = []
    private var places: [ObjectIdentifier: Int] = [:]
    /// The entry that the last search found, tried first because consecutive changes mostly concern one property.
    private var recent: BatchEntry?
    private var announcements = 0
    /// The changes that have begun and not ended, each with its observer list and its number (see `announcement`).
    private var open: [(list: ObjectIdentifier, announcement: Int)] = []
    /// The number of the change that ended last.
    ///
    /// The batch numbers its changes in the order in which they begin. So of two nested changes, the outer one has the smaller number. A
    /// change that began before the batch has the number zero.
    private(set) var announcement = 0
    /// The number of mutations in place that began in this batch and have not ended.
    private(set) var mutations = 0

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
            batch.tell()
        }
        return try body()
    }

    // MARK: Taking note

    /// Finds the batch's changes of the property whose observers are in `list`; nil if there are none.
    func entry(of list: ObserverList) -> BatchEntry? {
        if let recent, recent.list === list { return recent }
        guard let place = places[ObjectIdentifier(list)] else { return nil }
        recent = entries[place]
        return recent
    }

    /// Finds the entry that collects the batch's changes of one property, and makes the entry if there is none.
    ///
    /// `list` contains the observers of the property, and `subject` is the object.
    func entry(of list: ObserverList, of subject: AnyObject) -> BatchEntry {
        if let known = entry(of: list) { return known }
        let made = BatchEntry(list: list, subject: subject)
        places[ObjectIdentifier(list)] = entries.count
        entries.append(made)
        return made
    }

    func begin(_ list: ObserverList) {
        announcements += 1
        open.append((ObjectIdentifier(list), announcements))
    }

    /// Ends a change, and stores its number in `self.announcement`.
    ///
    /// The change is the newest unfinished one of the property whose observers are in `list`. If `begin(_:)` was not called for it, a
    /// manual notification (`wasAnnounced`) began before the batch, and gets the number zero. An assignment gets the next number.
    func end(_ list: ObserverList, wasAnnounced: Bool) {
        if let index = open.lastIndex(where: { $0.list == ObjectIdentifier(list) }) {
            announcement = open.remove(at: index).announcement
        } else {
            announcement = wasAnnounced ? 0 : announcements + 1
        }
    }

    /// Releases the batch's copy of a property's value, so that a mutation in place need not copy the value.
    static func willChange(_ list: ObserverList) {
        current?.entry(of: list)?.forgetNewValue()
    }

    /// Finds the changes of one property in this thread's batch.
    ///
    /// Returns nil if there are none, or while a property is being mutated in place.
    @inline(never)
    static func entryWithoutMutations(of list: ObserverList) -> BatchEntry? {
        guard let current, current.mutations == 0 else { return nil }
        return current.entry(of: list)
    }

    static func noteMutation(_ isOpen: Bool) {
        current?.mutations += isOpen ? 1 : -1
    }

    // MARK: The end

    private func tell() {
        for entry in entries { entry.prepare() }
        if entries.count == 1 { return tell(entries) }
        var order: [ObjectIdentifier: Int] = [:]
        var keys: [[BatchEntry]] = []
        for entry in entries {
            let place = order[ObjectIdentifier(entry.subject), default: keys.count]
            if place == keys.count {
                order[ObjectIdentifier(entry.subject)] = place
                keys.append([])
            }
            keys[place].append(entry)
        }
        for keys in keys { tell(keys) }
    }

    /// Notifies the observers of several keys of one object, in the order of their registration, and those of `\.self` last.
    private func tell(_ keys: [BatchEntry]) {
        var calls: [(entry: BatchEntry, info: ObservationInfo)] = []
        for entry in keys {
            for info in entry.list.infos() where !info.isDependency {
                if !entry.isOnlyOfAtomics || !info.flags.isUnprotected { calls.append((entry, info)) }
            }
        }
        if keys.count > 1 { calls.sort { $0.info.isBefore($1.info) } }
        if keys.count > 1, let entire = keys[0].list.withRecord({ $0.observedEntireList }) {
            calls = calls.filter { Unretained($0.entry.list) != entire } + calls.filter { Unretained($0.entry.list) == entire }
        }
        for (entry, info) in calls {
            // SAFETY: the frame is used only inside this closure, and `calls` retains the registration to which it refers.
            DeliveryFrame.run(Unretained(entry.list)) { frame in
                frame.call(info)
                entry.tell(info)
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
/// immediately. If another thread changes one of the same properties during the batch, the two notifications may come in either order. A
/// handler that takes changes may get the older value last. A handler that takes values gets the newest value last.
///
/// The observers are notified on this thread when the closure ends, even if it throws. Each observation of a changed key then gets one
/// call, with the value before the first change and the value after the last one. Observers of one object are called in the order of their
/// registration, whatever key they observe, and those of `\.self` last. Changes that handlers make during these calls are delivered immediately.
///
/// Observers with the option ``KeyValueObservingOptions/prior`` are also called once before the first change. If several changes concern
/// elements of one collection, observers get one change of kind `.setting` instead. Batches nest: only the outermost batch notifies. The
/// batch retains changed objects until it has notified their observers.
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
    /// Adds an event to this thread's batch, which notifies the observers at its end.
    ///
    /// Two kinds of calls are not delayed: calls that observers with the option `.prior` get before a change (`onlyPrior`), and calls that
    /// inform dependent key paths.
    @usableFromInline
    @inline(never)
    static func postpone(
        _ event: EventPointer, through delivery: inout Delivery, onlyPrior: Bool, old: () -> AnyObject?,
        box: (EventPointer) -> any BatchedEvent
    ) {
        guard let batch = ChangeBatch.current else { return }
        // SAFETY: every event of a key begins with the header.
        let header = unsafe event.view(as: KeyValueEventHeader.self)
        delivery.postpone(of: header.pointee.subject) { list, subject, limit, wasAnnounced in
            if isBeingDestroyed(subject) { return }
            // An observer that registers later is not notified of this change. So if there is no observer now, do not add the change to
            // the batch.
            let hasObservers = list.hasObservers
            if onlyPrior {
                batch.begin(list)
                let entry = hasObservers ? batch.entry(of: list, of: subject) : nil
                let announced = entry?.announcedLimit
                entry?.noteAnnouncement(limit)
                let isOfAtomic = DeliveryFrame.isOfAtomicDependency || entry?.isOnlyOfAtomics ?? false
                list.deliver(event, upTo: limit, box: box) { info in
                    if isOfAtomic, info.flags.isUnprotected { return false }
                    return info.isDependency || info.flags.contains(.priorCall) && announced.map { info.isLinked(after: $0) } ?? true
                }
            } else {
                batch.end(list, wasAnnounced: wasAnnounced)
                if hasObservers {
                    let entry = batch.entry(of: list, of: subject)
                    entry.add(box(event), limit, old: old)
                    entry.late += list.lateInfos(after: limit)
                }
                // Key paths may have begun to depend on this property during the change. The present serial number includes their
                // registrations.
                let present = list.withRecord { $0.currentSerial }
                list.deliver(event, upTo: present, box: box) { $0.isDependency }
            }
        }
        if delivery.mayConcernEntireObject { tellEntireList(event, through: delivery, onlyPrior: onlyPrior) }
    }
}

extension KeyValueEvent {
    @inlinable
    @inline(never)
    static func postpone(_ event: EventPointer, through delivery: inout Delivery, onlyPrior: Bool) {
        KeyValueEventHeader.postpone(
            event, through: &delivery, onlyPrior: onlyPrior,
            old: {
                // SAFETY: the only caller passes a pointer to a `KeyValueEvent<Value>`.
                let event = unsafe event.view(as: Self.self)
                return (event.pointee.header.kind == .setting ? event.pointee.old : event.pointee.wholeOld).map { OldValue($0) }
            }, box: { KeyValueEventBox<Value>(copying: $0) })
    }

    package mutating func withPointer(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        EventPointer.with(mutable: &self) { body($0) { KeyValueEventBox<Value>(copying: $0) } }
    }
}
