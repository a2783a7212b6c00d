/// The changes of one key in a batch.
class BatchEntry {
    let list: ObserverList
    /// Kept until its observers have been told.
    let subject: AnyObject
    // The list is kept by its record.
    private let record: ObservationRecord
    /// The serial number up to which observers have been called before the first change that they hear of.
    private(set) var announcedLimit: UInt32?

    /// Who registered on another thread between the announcement of a change and the change.
    var late: [ObservationInfo] = []

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    /// Says that observers have been called before a change, those of them that asked for it; in this batch or before it.
    func noteAnnouncement(_ limit: UInt32) {
        if let announcedLimit, Int32(bitPattern: limit &- announcedLimit) <= 0 { return }
        announcedLimit = limit
    }

    /// Whether a change with these observers is the first for some of them, so that the old value counts.
    func needsOldValue(_ limit: UInt32) -> Bool {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.needsOldValue(_:)` has no override. Please report it.")
    }

    /// Finds out the values that are not known yet.
    func prepare() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.prepare()` has no override. Please report it.")
    }

    /// Lets go of the value that is about to change in place.
    func forgetNewValue() {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.forgetNewValue()` has no override. Please report it.")
    }

    /// Calls an observer, if a change was made since it registered.
    func tell(_ info: ObservationInfo) {
        preconditionFailure("Internal error of SafeKVO: `BatchEntry.tell(_:)` has no override. Please report it.")
    }
}

/// The changes of one key of a known type in a batch.
final class TypedBatchEntry<Value>: BatchEntry {
    /// What observers hear that were there at a change, and not at the one before.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the first change that they hear of.
        let old: Value?
        /// When that change was announced to come, by the batch's count.
        let announcement: Int
        /// How many changes were made before they came.
        let earlierChanges: Int
    }

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The last change, as it would have been told.
    private var last: KeyValueEvent<Value>?
    /// The number under which the changes are told.
    private var number: UInt64 = 0
    /// Finds out the value, if the last change does not say it.
    private var evaluate: (() -> Value)?

    override func needsOldValue(_ limit: UInt32) -> Bool { segment(of: limit) == nil }

    /// The segment of the observers that were there at a change; nil if some were at no change before.
    private func segment(of limit: UInt32) -> Int? {
        segments.firstIndex { Int32(bitPattern: limit &- $0.limit) <= 0 }
    }

    /// Takes note of a change.
    ///
    /// - Parameters:
    ///   - event: The change.
    ///   - limit: Who is heard from.
    ///   - evaluate: Finds out the value at the end, if the change does not say it.
    func add(_ event: KeyValueEvent<Value>, _ limit: UInt32, evaluate: (() -> Value)? = nil) {
        let announcement = ChangeBatch.current?.announcement ?? 0
        let known = segment(of: limit)
        // Of two changes that nest, the one that ends last began first, and knows the older value.
        let old = event.header.kind == .setting ? event.old : event.wholeOld
        // A path that learns only at the end what has changed knows no older value.
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
        // A value that is found out now is the newest.
        number = list.numberChange()
        if last?.header.kind == .setting {
            last?.new = evaluate()
        } else {
            last?.wholeNew = evaluate()
        }
        self.evaluate = nil
    }

    /// Finds out the value that an assignment which was not delivered has replaced since.
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

    /// Calls an observer that came while a change was under way, of which it perhaps knows nothing.
    private func tellLate(_ info: ObservationInfo, _ last: KeyValueEvent<Value>) {
        guard late.contains(where: { $0 === info }) else { return }
        var event = KeyValueEvent(subject: subject, phase: .after, new: last.whole, old: nil)
        event.header.number = number
        event.withPointer { pointer, box in ObservationBroker.shared.forward(pointer, to: info, box: box) }
    }
}
