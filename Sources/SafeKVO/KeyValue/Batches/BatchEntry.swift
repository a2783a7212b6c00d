/// The changes of one key of one object within a batch, which notifies observers once at its end.
///
/// This base class does not depend on the type of the values.
class BatchEntry {
    let list: ObserverList
    /// The observed object.
    ///
    /// The entry retains it until the observers have been notified.
    let subject: AnyObject
    // The record holds the object's observations and retains the list. The entry retains the record.
    private let record: ObservationRecord
    /// The cutoff serial for calls before the change.
    ///
    /// Observers whose registration has this serial number or an earlier one need no further call before a change in this batch.
    private(set) var announcedLimit: UInt32?

    /// Observers that registered on another thread while a change was under way.
    ///
    /// They may have read the old value, so they are notified as well.
    var late: [ObservationInfo] = []

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    /// Notes that the calls before a change were made, for all observers that registered up to a serial number.
    func noteAnnouncement(_ limit: UInt32) {
        if let announcedLimit, Int32(bitPattern: limit &- announcedLimit) <= 0 { return }
        announcedLimit = limit
    }

    /// Returns `true` if some observers that registered up to a serial number have had no change in this batch yet.
    ///
    /// Then the value before the change is needed.
    func needsOldValue(_ limit: UInt32) -> Bool {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.needsOldValue(_:)` has no override. Please report it.")
    }

    /// Computes the values for the notification, at the end of the batch.
    func prepare() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.prepare()` has no override. Please report it.")
    }

    /// Releases the stored new value, because the property is about to change in place.
    ///
    /// If the entry kept this second reference to a collection, the change would copy all elements.
    func forgetNewValue() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.forgetNewValue()` has no override. Please report it.")
    }

    /// Notifies an observer at the end of the batch, if a change was made since it registered.
    func tell(_ info: ObservationInfo) {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.tell(_:)` has no override. Please report it.")
    }
}

/// The changes of one key of one object within a batch, with the type of the value.
final class TypedBatchEntry<Value>: BatchEntry {
    /// A group of observers that registered between the same two changes of the batch.
    ///
    /// They missed the changes before their registration. So each group has its own old value. `limit` is the serial number of its last
    /// observer.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the first change of which these observers are notified.
        let old: Value?
        /// The position of that change among the changes that were announced in this batch.
        let announcement: Int
        /// The number of changes in this batch that were made before these observers registered.
        let earlierChanges: Int
    }

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The event of the last change, as a delivery without a batch would carry it.
    private var last: KeyValueEvent<Value>?
    /// The number of the change that the notification at the end of the batch carries.
    private var number: UInt64 = 0
    /// Computes the value at the end of the batch, if the last change does not carry it.
    private var evaluate: (() -> Value)?

    override func needsOldValue(_ limit: UInt32) -> Bool { segment(of: limit) == nil }

    /// Returns the index of the group of all observers that registered up to a serial number; nil if some of them have had no change in
    /// this batch yet.
    private func segment(of limit: UInt32) -> Int? {
        segments.firstIndex { Int32(bitPattern: limit &- $0.limit) <= 0 }
    }

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - event: The event of the change.
    ///   - limit: The serial number of the last observer that is notified of this change.
    ///   - evaluate: Computes the value at the end of the batch, if the event does not carry it.
    func add(_ event: KeyValueEvent<Value>, _ limit: UInt32, evaluate: (() -> Value)? = nil) {
        let announcement = ChangeBatch.current?.announcement ?? 0
        let known = segment(of: limit)
        // If changes nest, the outer change ends last but began first. So its old value is the older one and replaces the stored one.
        let old = event.header.kind == .setting ? event.old : event.wholeOld
        // A key path that depends on other properties may know no old value here; then the stored old value stays.
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
        // This evaluation is later than every recorded change, so it gets the newest number.
        number = list.numberChange()
        if last?.header.kind == .setting {
            last?.new = evaluate()
        } else {
            last?.wholeNew = evaluate()
        }
        self.evaluate = nil
    }

    /// Reads the value at the end of the batch, after an assignment that delivered no event made the stored value obsolete.
    private func readAgain() {
        guard let keyPath = list.keyPath else { return }
        number = list.numberChange()
        let root: Any = subject
        let value = Recording.suspended { root[keyPath: keyPath] as? Value }
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

    /// Notifies an observer that registered while a change was under way.
    ///
    /// It may have read the value before the change as its initial value.
    ///
    /// Its event carries no old value.
    private func tellLate(_ info: ObservationInfo, _ last: KeyValueEvent<Value>) {
        guard late.contains(where: { $0 === info }) else { return }
        var event = KeyValueEvent(subject: subject, phase: .after, new: last.whole, old: nil)
        event.header.number = number
        event.withPointer { pointer, box in ObservationBroker.shared.forward(pointer, to: info, box: box) }
    }
}
