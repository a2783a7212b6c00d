/// The changes of one key of one object in a batch.
///
/// A batch collects changes and notifies observers once, at its end. The entry does not depend on the type of the values: boxes contain them.
final class BatchEntry {
    /// A group of observers that are notified of the same changes of the batch.
    ///
    /// An observer that registers during the batch misses the earlier changes. So each group has its own old value. `limit` is the serial
    /// number of the group's last observer.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the first change that these observers are notified of, in an ``OldValue``.
        let old: AnyObject?
        /// The position of the group's first change in the batch; changes are counted in the order in which they begin.
        let announcement: Int
        /// The number of earlier changes of this key in the batch, which these observers missed because they registered later.
        let earlierChanges: Int
    }

    let list: ObserverList
    /// The observed object, which the entry retains until the observers have been notified.
    let subject: AnyObject
    // The record of the observed object. This entry retains the record, because `list` does not.
    private let record: ObservationRecord
    /// The serial number up to which observers get no more calls before changes in this batch; nil before the first change.
    ///
    /// Observers are numbered in the order of registration. In a batch, an observer is called only before its first change.
    private(set) var announcedLimit: UInt32?

    /// Observers that other threads registered during a change, and that must be notified of this change, too.
    ///
    /// The initial call of such an observer may have delivered the value before the change.
    var late: [ObservationInfo] = []

    /// The version of a computed key path's dependencies at the last check that found none of them being mutated in place.
    ///
    /// The check is repeated only after the version has changed; see ``TrackedPath/isDependencyOpen``.
    var closedVersion: UInt64?

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The event of the last change, as observers would get it without a batch; nil before the first change, and while `evaluate` makes it.
    private var last: (any BatchedEvent)?
    /// The change number of the event that is delivered at the end of the batch.
    private var number: UInt64 = 0
    /// A closure that makes the last event at the end of the batch; nil if the event is known.
    private var evaluate: (() -> any BatchedEvent)?
    /// `true` if the property may have been changed after the last event.
    private var isOutdated = false

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    func noteAnnouncement(_ limit: UInt32) {
        if let announcedLimit, Int32(bitPattern: limit &- announcedLimit) <= 0 { return }
        announcedLimit = limit
    }

    /// Returns `true` if the batch has no change yet for the observer with the serial number `limit`.
    ///
    /// The caller must then read the value before the next change, because it is this observer's old value.
    func needsOldValue(_ limit: UInt32) -> Bool { segment(of: limit) == nil }

    /// Returns the index of an observer's group in `segments`; nil if no change so far concerns the observer.
    ///
    /// `limit` is the serial number of the observer.
    private func segment(of limit: UInt32) -> Int? {
        segments.firstIndex { Int32(bitPattern: limit &- $0.limit) <= 0 }
    }

    /// Adds a change with a known event.
    ///
    /// Observers that registered after the serial number `limit` are not notified of it. `old` returns the whole value before the change in
    /// an ``OldValue``.
    func add(_ event: any BatchedEvent, _ limit: UInt32, old: () -> AnyObject?) {
        note(limit, old)
        (last, evaluate) = (event, nil)
    }

    /// Adds a change whose event is made at the end of the batch.
    func add(_ limit: UInt32, old: () -> AnyObject?, evaluate: @escaping () -> any BatchedEvent) {
        note(limit, old)
        (last, self.evaluate) = (nil, evaluate)
    }

    private func note(_ limit: UInt32, _ old: () -> AnyObject?) {
        let announcement = ChangeBatch.current?.announcement ?? 0
        isOutdated = false
        defer {
            noteAnnouncement(limit)
            changeCount += 1
        }
        guard let known = segment(of: limit) else {
            segments.append(Segment(limit: limit, old: old(), announcement: announcement, earlierChanges: changeCount))
            return
        }
        // If changes nest, the outer one ends last, but it began first. So its old value replaces that of the inner one. A change of a
        // computed key path may lack the old value; then the stored one is kept.
        guard announcement < segments[known].announcement, let old = old() else { return }
        let segment = Segment(limit: limit, old: old, announcement: announcement, earlierChanges: segments[known].earlierChanges)
        if segments[known].limit == limit {
            segments[known] = segment
        } else {
            segments.insert(segment, at: known)
        }
    }

    /// Releases this entry's copy of the new value, before the property is set or mutated in place again.
    ///
    /// With two references to the value, a mutation in place would have to copy it.
    func forgetNewValue() {
        isOutdated = true
        last?.forgetNewValue()
    }

    /// Puts the value at the end of the batch into the event that observers will get.
    func prepare() {
        if let evaluate {
            // The value is computed after all changes of the batch, so it gets a number that is newer than theirs.
            number = list.numberChange()
            last = evaluate()
            list.noteRead(after: number)
            self.evaluate = nil
        } else if isOutdated, let keyPath = list.keyPath {
            // An assignment that notifies nobody leaves no event, for example in a cancelled manual notification. So read the present value.
            number = list.numberChange()
            last?.readNewValue(of: subject, at: keyPath)
            list.noteRead(after: number)
        } else {
            number = last?.number ?? 0
        }
    }

    /// Notifies an observer at the end of the batch, if there was a change after the observer registered.
    func tell(_ info: ObservationInfo) {
        guard let last else { return }
        var event: EventBox = last
        if let segment = segments.first(where: { !info.isLinked(after: $0.limit) }) {
            let isOnlyOne = changeCount - segment.earlierChanges == 1
            // Without an old value, the event of the last setting mostly serves as it is.
            if list.wantsOldValues || !last.isSetting(number: number, limit: segment.limit) {
                event = last.settled(subject, old: segment.old, number: number, limit: segment.limit, keepsKind: isOnlyOne)
            }
        } else if late.contains(where: { $0 === info }) {
            // The observer's initial call may have delivered the old or the new value. So the event contains only the new value.
            event = last.settled(subject, old: nil, number: number, limit: 0, keepsKind: false)
        } else {
            return
        }
        event.withEvent { pointer in ObservationBroker.shared.forward(pointer, to: info) { _ in event } }
    }
}

/// A copy of the event of a change in a batch.
@usableFromInline
package protocol BatchedEvent: EventBox {
    /// Returns `true` if the event reports a setting, and has this change number and this cutoff serial.
    func isSetting(number: UInt64, limit: UInt32) -> Bool
    /// Releases the value after the change.
    func forgetNewValue()
    /// Replaces the value after the change with the present value of a key path.
    func readNewValue(of subject: AnyObject, at keyPath: AnyKeyPath)
    /// Returns the event for an observer at the end of the batch.
    ///
    /// It reports a setting with the old value in `old`, an ``OldValue``. If `keepsKind` is `true`, a change of some elements remains one.
    func settled(_ subject: AnyObject, old: AnyObject?, number: UInt64, limit: UInt32, keepsKind: Bool) -> EventBox
}

/// A copy of a change of a key, with values of a known type.
@usableFromInline
package final class KeyValueEventBox<Value>: EventBox, BatchedEvent {
    @usableFromInline var event: KeyValueEvent<Value>

    @inlinable
    package convenience init(copying pointer: EventPointer) {
        // SAFETY: the code that makes this box also made the event, so `Value` is the type of its values.
        self.init(unsafe pointer.assumingType(KeyValueEvent<Value>.self).pointee)
    }

    @inlinable
    init(_ event: KeyValueEvent<Value>) {
        self.event = event
        super.init()
    }

    override var number: UInt64 { event.header.number }

    override func present(_ list: ObserverList, _ keyPath: AnyKeyPath, number: UInt64) -> EventBox? {
        event.present(list, keyPath, number: number).map { KeyValueEventBox($0) }
    }

    override func withEvent(_ body: (EventPointer) -> Void) {
        // SAFETY: `body` uses the pointer during the call only.
        unsafe withUnsafePointer(to: event) { unsafe body(EventPointer(UnsafeRawPointer($0))) }
    }

    @usableFromInline
    package func isSetting(number: UInt64, limit: UInt32) -> Bool {
        event.header.kind == .setting && event.header.number == number && event.header.limit == limit
    }

    @usableFromInline
    package func forgetNewValue() {
        if _isPOD(Value.self) { return }
        event.new = nil
        event.wholeNew = nil
    }

    @usableFromInline
    package func readNewValue(of subject: AnyObject, at keyPath: AnyKeyPath) {
        let value = KeyValueEvent<Value>.value(of: subject, at: keyPath)
        if event.header.kind == .setting { event.new = value } else { event.wholeNew = value }
    }

    @usableFromInline
    package func settled(_ subject: AnyObject, old: AnyObject?, number: UInt64, limit: UInt32, keepsKind: Bool) -> EventBox {
        var event = event
        if event.header.kind == .setting || !keepsKind {
            event = KeyValueEvent(subject: subject, phase: .after, new: event.whole, old: OldValue.value(in: old))
        }
        event.header.number = number
        event.header.limit = limit
        return KeyValueEventBox(event)
    }
}
