/// The changes of one key of one object in a batch.
///
/// A batch collects changes and notifies observers once, at its end. This base class does not depend on the type of the values.
class BatchEntry {
    let list: ObserverList
    /// The observed object, which the entry retains until the observers have been notified.
    let subject: AnyObject
    // The observed object's record, which `list` uses but does not retain. So the entry retains the record.
    private let record: ObservationRecord
    /// Observers with serial numbers up to this one have had their call before a change, if they wanted one; nil before the first change.
    ///
    /// Serial numbers follow the order of registration. In a batch, an observer is called only before its first change.
    private(set) var announcedLimit: UInt32?

    /// Observers that another thread registered during a change, of which they must be notified too.
    ///
    /// Their initial call may have delivered the value before the change.
    var late: [ObservationInfo] = []

    /// The version number of a computed key path's dependencies for which a check has found that none is being mutated in place.
    ///
    /// Another check is needed only after the version number has changed; see ``TrackedPath/isDependencyOpen``.
    var closedVersion: UInt64?

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    func noteAnnouncement(_ limit: UInt32) {
        if let announcedLimit, Int32(bitPattern: limit &- announcedLimit) <= 0 { return }
        announcedLimit = limit
    }

    /// Returns `true` if the next change is the first one in this batch for the observer with the serial number `limit`.
    ///
    /// The caller must then read the value before that change, because it is this observer's old value.
    func needsOldValue(_ limit: UInt32) -> Bool {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.needsOldValue(_:)` has no override. Please report it.")
    }

    /// Puts the value at the end of the batch into the event that observers will get.
    func prepare() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.prepare()` has no override. Please report it.")
    }

    /// Releases this entry's copy of the new value, before the property is set or mutated in place again.
    ///
    /// With two references to the value, a mutation in place would have to copy it.
    func forgetNewValue() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.forgetNewValue()` has no override. Please report it.")
    }

    /// Notifies an observer at the end of the batch, if there was a change after the observer registered.
    func tell(_ info: ObservationInfo) {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.tell(_:)` has no override. Please report it.")
    }
}

/// The changes of one key of one object in a batch, with values of a known type.
final class TypedBatchEntry<Value>: BatchEntry {
    /// A group of observers that are notified of the same changes of the batch.
    ///
    /// An observer that registers during the batch misses the earlier changes. So each group has its own old value. `limit` is the serial
    /// number of the group's last observer.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the first change that these observers are notified of.
        let old: Value?
        /// The position of the group's first change among all changes of the batch, in the order in which they began.
        let announcement: Int
        /// The number of earlier changes of this key in the batch, which these observers missed because they registered later.
        let earlierChanges: Int
    }

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The event of the last change, as observers would get it without a batch.
    private var last: KeyValueEvent<Value>?
    /// The number of the change that is delivered at the end of the batch.
    private var number: UInt64 = 0
    /// A closure that computes the value at the end of the batch; nil if the last event contains the value.
    private var evaluate: (() -> Value)?

    override func needsOldValue(_ limit: UInt32) -> Bool { segment(of: limit) == nil }

    /// Returns the index of the group to which the observer with the serial number `limit` belongs.
    ///
    /// The result is nil if this observer must be notified of none of the changes so far.
    private func segment(of limit: UInt32) -> Int? {
        segments.firstIndex { Int32(bitPattern: limit &- $0.limit) <= 0 }
    }

    /// Adds a change.
    ///
    /// Observers that registered after the serial number `limit` are not notified of it. `evaluate` computes the value at the end of the
    /// batch; it is nil if the event contains the value.
    func add(_ event: KeyValueEvent<Value>, _ limit: UInt32, evaluate: (() -> Value)? = nil) {
        let announcement = ChangeBatch.current?.announcement ?? 0
        let known = segment(of: limit)
        // `old` is the whole value before this change. If changes nest, the outer one ends last, but it began first. So its `old` replaces
        // that of the inner one.
        let old = event.header.kind == .setting ? event.old : event.wholeOld
        // Store `old` for a new group (`known` is nil), or if this change began before the group's first one. A change of a computed key
        // path may lack `old`.
        if known.map({ announcement < segments[$0].announcement && old != nil }) ?? true {
            let earlierChanges = known.map { segments[$0].earlierChanges } ?? changeCount
            let segment = Segment(limit: limit, old: old, announcement: announcement, earlierChanges: earlierChanges)
            if let known, segments[known].limit == limit {
                segments[known] = segment
            } else {
                segments.insert(segment, at: known ?? segments.endIndex)
            }
        }
        noteAnnouncement(limit)
        changeCount += 1
        last = event
        self.evaluate = evaluate
    }

    override func forgetNewValue() {
        last?.new = nil
        last?.wholeNew = nil
    }

    override func prepare() {
        guard let evaluate else {
            number = last?.header.number ?? 0
            if let last, last.whole == nil { readAgain() }
            return
        }
        // The value is computed after all changes of the batch, so it gets a number that is newer than theirs.
        number = list.numberChange()
        if last?.header.kind == .setting {
            last?.new = evaluate()
        } else {
            last?.wholeNew = evaluate()
        }
        list.noteRead(after: number)
        self.evaluate = nil
    }

    /// Reads the present value, if the last event has none.
    ///
    /// `forgetNewValue()` has released it before an assignment that added no event. Such an assignment notifies nobody, for example in a
    /// cancelled manual notification.
    private func readAgain() {
        guard let keyPath = list.keyPath else { return }
        number = list.numberChange()
        let value = KeyValueEvent<Value>.value(of: subject, at: keyPath)
        list.noteRead(after: number)
        if last?.header.kind == .setting { last?.new = value } else { last?.wholeNew = value }
    }

    override func tell(_ info: ObservationInfo) {
        guard let last else { return }
        guard let segment = segments.first(where: { !info.isLinked(after: $0.limit) }) else { return tellLate(info, last) }
        var event = last
        if changeCount - segment.earlierChanges > 1 || last.header.kind == .setting {
            event = KeyValueEvent(subject: subject, phase: .after, new: last.whole, old: segment.old)
        }
        event.header.number = number
        event.header.limit = segment.limit
        event.withPointer { pointer, box in ObservationBroker.shared.forward(pointer, to: info, box: box) }
    }

    /// Notifies an observer that another thread registered during a change; does nothing for any other observer.
    ///
    /// The observer's initial call may have delivered the old or the new value. So the event contains only the new value.
    private func tellLate(_ info: ObservationInfo, _ last: KeyValueEvent<Value>) {
        guard late.contains(where: { $0 === info }) else { return }
        var event = KeyValueEvent(subject: subject, phase: .after, new: last.whole, old: nil)
        event.header.number = number
        event.withPointer { pointer, box in ObservationBroker.shared.forward(pointer, to: info, box: box) }
    }
}
