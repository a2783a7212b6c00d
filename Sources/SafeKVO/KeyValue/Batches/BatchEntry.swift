/// The changes of one key of one object in a batch, which notifies observers once, at its end.
final class BatchEntry {
    /// A group of observers with the same old value.
    ///
    /// An observer that registers during the batch misses the earlier changes, and so has another old value. `limit` is the serial number
    /// of the group's last observer.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the group's first change, in an ``OldValue``.
        let old: AnyObject?
        /// The position of the group's first change, counted in the order in which the changes of the batch begin.
        let announcement: Int
        /// The number of changes of this key that these observers missed, because they registered later.
        let earlierChanges: Int
    }

    let list: ObserverList
    /// The observed object, which the entry retains until the observers have been notified.
    let subject: AnyObject
    // Retained here, because `list` does not retain its record.
    private let record: ObservationRecord
    /// The observers with serial numbers up to this one get no more calls before changes in this batch; nil before the first change.
    ///
    /// In a batch, an observer is called only before its first change.
    private(set) var announcedLimit: UInt32?

    /// Observers that other threads registered during a change and that must be notified of it, too.
    ///
    /// Their initial call may have delivered the value before the change.
    var late: [ObservationInfo] = []

    /// The version of the key path's dependencies at the last check that found none of them being mutated in place.
    ///
    /// Only a new version needs another check; see ``TrackedPath/isDependencyOpen``.
    var closedVersion: UInt64?

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The event of the last change, as without a batch; nil before the first change, or if `evaluate` must still make it.
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
    /// Then the caller must read this observer's old value before the next change.
    func needsOldValue(_ limit: UInt32) -> Bool { segment(of: limit) == nil }

    /// Returns the index of the group of the observer with the serial number `limit`; nil if no change so far concerns it.
    private func segment(of limit: UInt32) -> Int? {
        segments.firstIndex { Int32(bitPattern: limit &- $0.limit) <= 0 }
    }

    /// Adds a change with a known event.
    ///
    /// Observers that registered after the serial number `limit` are not notified of it. `old` returns the whole value before the change in
    /// an ``OldValue``.
    func add(_ event: any BatchedEvent, _ limit: UInt32, old: () -> AnyObject?) {
        note(limit, old)
        replaceLast(event, nil)
    }

    /// Adds a change whose event is made at the end of the batch.
    func add(_ limit: UInt32, old: () -> AnyObject?, evaluate: @escaping () -> any BatchedEvent) {
        note(limit, old)
        replaceLast(nil, evaluate)
    }

    /// Replaces the last event, and then releases the former one, because the `deinit` of a value may change the property again.
    private func replaceLast(_ event: (any BatchedEvent)?, _ evaluate: (() -> any BatchedEvent)?) {
        let former = (last, self.evaluate)
        (last, self.evaluate) = (event, evaluate)
        withExtendedLifetime(former) {}
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
        // An outer change ends after a nested one, but began before it. So its old value, if known, replaces that of the nested change.
        guard announcement < segments[known].announcement, let old = old() else { return }
        let segment = Segment(limit: limit, old: old, announcement: announcement, earlierChanges: segments[known].earlierChanges)
        if segments[known].limit == limit {
            let former = segments[known]
            segments[known] = segment
            withExtendedLifetime(former) {}
        } else {
            segments.insert(segment, at: known)
        }
    }

    /// Releases this entry's copy of the new value, so that the next mutation in place need not copy the value.
    func forgetNewValue() {
        last?.forgetNewValue()
        isOutdated = true
    }

    /// Puts the value at the end of the batch into the event that observers will get.
    func prepare() {
        if let evaluate {
            // The value is computed after all changes of the batch, so it gets a newer number than theirs.
            number = list.numberChange()
            last = evaluate()
            list.noteRead(after: number)
            self.evaluate = nil
        } else if isOutdated, let keyPath = list.keyPath {
            // An assignment may have notified nobody, for example in a cancelled manual notification. So read the present value.
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
            // If no old values are wanted, an event of a setting with the right number and limit is delivered as it is.
            if list.wantsOldValues || !last.isSetting(number: number, limit: segment.limit) {
                event = last.settled(subject, old: segment.old, number: number, limit: segment.limit, keepsKind: isOnlyOne)
            }
        } else if late.contains(where: { $0 === info }) {
            // Leave out the old value, because the observer's initial call may have delivered the new one.
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
    /// Returns `true` if the event reports a setting with this change number and this limit.
    func isSetting(number: UInt64, limit: UInt32) -> Bool
    func forgetNewValue()
    /// Replaces the value after the change with the present value of a key path.
    func readNewValue(of subject: AnyObject, at keyPath: AnyKeyPath)
    /// Returns the event for an observer at the end of the batch.
    ///
    /// It reports a setting with the old value in `old`, an ``OldValue``. If `keepsKind` is `true`, it can also report a change of
    /// elements.
    func settled(_ subject: AnyObject, old: AnyObject?, number: UInt64, limit: UInt32, keepsKind: Bool) -> EventBox
}

/// A copy of a change of a key, with values of a known type.
@usableFromInline
package final class KeyValueEventBox<Value>: EventBox, BatchedEvent {
    @usableFromInline var event: KeyValueEvent<Value>

    @inlinable
    package convenience init(copying pointer: EventPointer) {
        // SAFETY: the code that makes this box also made the event, so `Value` is the type of its values.
        self.init(unsafe pointer.view(as: KeyValueEvent<Value>.self).pointee)
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
        EventPointer.with(event) { pointer, _ in body(pointer) }
    }

    @usableFromInline
    package func isSetting(number: UInt64, limit: UInt32) -> Bool {
        event.header.kind == .setting && event.header.number == number && event.header.limit == limit
    }

    @usableFromInline
    package func forgetNewValue() {
        if !_isPOD(Value.self) { releaseNewValue() }
    }

    @inline(never)
    private func releaseNewValue() {
        // The values are released after the accesses to `event`, because their `deinit` may change the property again.
        let former = (event.new, event.wholeNew)
        event.new = nil
        event.wholeNew = nil
        withExtendedLifetime(former) {}
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
