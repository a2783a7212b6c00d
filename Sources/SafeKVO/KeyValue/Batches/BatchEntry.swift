/// The changes of one key of one object in a batch, whose end notifies each observer once.
///
/// An observer that registers during the batch must not get an old value from before its registration. So observers are grouped by their
/// serial numbers, which follow the order of registration. Each group has its own old value.
final class BatchEntry {
    /// A group of observers that get the same old value.
    ///
    /// The group contains the observers that registered after those of the previous group, up to the serial number `limit`.
    private struct Segment {
        let limit: UInt64
        /// The key's value before the first change that the observers of this group are notified of, in an ``OldValue``.
        ///
        /// For a collection, this is the whole collection, even if that change affects only some elements.
        let old: AnyObject?
        let announcement: Int
        let earlierChanges: Int
    }

    let list: ObserverList
    let subject: AnyObject
    // This reference keeps the record alive: `list` does not.
    private let record: ObservationRecord
    private(set) var announcedLimit: UInt64?

    /// Observers that other threads registered during a change, and whose initial call may have had the old value.
    ///
    /// These observers must be notified of that change, too.
    var late: [ObservationInfo] = []

    var closedVersion: UInt64?

    /// `true` if every change of the key was one of an atomic property, so that handlers that need one thread are not called.
    private(set) var isOnlyOfAtomics = false

    private var segments: [Segment] = []
    private var changeCount = 0
    private var last: (any BatchedEvent)?
    private var number: UInt64 = 0
    private var evaluate: (() -> any BatchedEvent)?
    private var isOutdated = false

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    func noteAnnouncement(_ limit: UInt64) {
        if let announcedLimit, limit <= announcedLimit { return }
        announcedLimit = limit
    }

    /// Notes what the next change is a change of; must be called before ``add(_:old:evaluate:)``.
    func noteSource(isAtomic: Bool) { isOnlyOfAtomics = isAtomic && (isOnlyOfAtomics || changeCount == 0) }

    /// Returns `true` if this batch has no old value yet for the observer with the serial number `limit`.
    func needsOldValue(_ limit: UInt64) -> Bool { segment(of: limit) == nil }

    private func segment(of limit: UInt64) -> Int? {
        segments.firstIndex { limit <= $0.limit }
    }

    /// Adds a change, of which only observers with serial numbers up to `limit` are notified.
    ///
    /// `old` returns the whole value before the change, in an ``OldValue``. The closure is called only if the batch has no older value for
    /// these observers.
    func add(_ event: any BatchedEvent, _ limit: UInt64, old: () -> AnyObject?) {
        note(limit, old)
        replaceLast(event, nil)
    }

    func add(_ limit: UInt64, old: () -> AnyObject?, evaluate: @escaping () -> any BatchedEvent) {
        note(limit, old)
        replaceLast(nil, evaluate)
    }

    /// Replaces the last event, then releases the replaced event, because a `deinit` of its values may change the property again.
    private func replaceLast(_ event: (any BatchedEvent)?, _ evaluate: (() -> any BatchedEvent)?) {
        let former = (last, self.evaluate)
        (last, self.evaluate) = (event, evaluate)
        withExtendedLifetime(former) {}
    }

    private func note(_ limit: UInt64, _ old: () -> AnyObject?) {
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
        // Of two nested changes, the inner one ends first, so its old value is already stored. But the outer change began earlier, as its
        // smaller `announcement` shows. So replace the stored old value by the older value of the outer change.
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

    /// Releases the copy of the new value, so that the next mutation in place need not copy the value.
    func forgetNewValue() {
        last?.forgetNewValue()
        isOutdated = true
    }

    func prepare() {
        if let evaluate {
            // The value is computed after all changes of the batch, so it needs a newer number.
            number = list.numberChange()
            last = evaluate()
            list.noteRead(after: number)
            self.evaluate = nil
        } else if isOutdated, let keyPath = list.keyPath {
            // Before a later change, the batch released its copy of the new value, so that a mutation in place need not copy the value. The
            // later change then notified nobody, for example because a manual notification was cancelled. So no event contains the present
            // value. Read the present value, under a new change number.
            number = list.numberChange()
            last?.readNewValue(of: subject, at: keyPath)
            list.noteRead(after: number)
        } else {
            number = last?.number ?? 0
        }
    }

    func tell(_ info: ObservationInfo) {
        guard let last else { return }
        var event: EventBox = last
        if let segment = segments.first(where: { !info.isLinked(after: $0.limit) }) {
            let isOnlyOne = changeCount - segment.earlierChanges == 1
            if list.wantsOldValues || !last.isSetting(number: number, limit: segment.limit) {
                event = last.settled(subject, old: segment.old, number: number, limit: segment.limit, keepsKind: isOnlyOne)
            }
        } else if late.contains(where: { $0 === info }) {
            // This observer registered during the change, and its initial call may have delivered the new value already. An event with an
            // old value would report a change to that value. An event without an old value only repeats the new value.
            event = last.settled(subject, old: nil, number: number, limit: 0, keepsKind: false)
        } else {
            return
        }
        event.withEvent { pointer in ObservationBroker.shared.forward(pointer, to: info) { _ in event } }
    }
}

@usableFromInline
package protocol BatchedEvent: EventBox {
    func isSetting(number: UInt64, limit: UInt64) -> Bool
    func forgetNewValue()
    func readNewValue(of subject: AnyObject, at keyPath: AnyKeyPath)
    /// Makes the event that a group of observers gets at the end of the batch.
    ///
    /// The key did not change between the registrations of a group's observers, so they share one old value. `old` is that value, in an
    /// ``OldValue``: the value before the first change after their registration. If `keepsKind` is `false`, the event reports that the
    /// whole value was set, even if only elements changed.
    func settled(_ subject: AnyObject, old: AnyObject?, number: UInt64, limit: UInt64, keepsKind: Bool) -> EventBox
}

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
    package func isSetting(number: UInt64, limit: UInt64) -> Bool {
        event.header.kind == .setting && event.header.number == number && event.header.limit == limit
    }

    @usableFromInline
    package func forgetNewValue() {
        if !_isPOD(Value.self) { releaseNewValue() }
    }

    @inline(never)
    private func releaseNewValue() {
        // A `deinit` may change the property again, so the values are released after the accesses to `event`.
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
    package func settled(_ subject: AnyObject, old: AnyObject?, number: UInt64, limit: UInt64, keepsKind: Bool) -> EventBox {
        var event = event
        if event.header.kind == .setting || !keepsKind {
            event = KeyValueEvent(subject: subject, phase: .after, new: event.whole, old: OldValue.value(in: old))
        }
        event.header.number = number
        event.header.limit = limit
        return KeyValueEventBox(event)
    }
}
