internal import Synchronization

/// The knowledge of a manual notification from before the change, whatever the type of the value.
@usableFromInline
package class AnnouncementPart {
    /// The newest serial number when the notification began; of later observers, only those of other threads are notified.
    @usableFromInline let cutoff: UInt64
    /// `true` if elements of a collection are announced.
    let hasElements: Bool
    /// The type of the key's values.
    @usableFromInline let values: ObjectIdentifier
    /// The number of the change in the list that is being notified of its end.
    @usableFromInline var number: UInt64 = 0

    @usableFromInline
    init(of values: Any.Type, cutoff: UInt64, hasElements: Bool) {
        (self.cutoff, self.hasElements, self.values) = (cutoff, hasElements, ObjectIdentifier(values))
    }
}

/// The knowledge of a manual notification from before the change, for values of one type.
@usableFromInline
final class ManualAnnouncement<Value>: AnnouncementPart {
    @usableFromInline let elements: AnnouncedChange<Value>?
    @usableFromInline let position: SourcePosition
    /// The value before the change, if the key has no ``TrackedPath`` and an observer asks for it.
    @usableFromInline var old: Value?
    @usableFromInline var plan: AnnouncedChange<Value>.Plan?
    private var isMisfit = false

    @_alwaysEmitIntoClient
    init(_ elements: AnnouncedChange<Value>?, cutoff: UInt64, _ position: SourcePosition) {
        self.elements = elements
        self.position = position
        super.init(of: Value.self, cutoff: cutoff, hasElements: elements != nil)
    }

    @_alwaysEmitIntoClient var isPlanned: Bool { plan != nil }

    /// Plans the change of elements, if one is announced.
    @_alwaysEmitIntoClient
    func plan(_ whole: Value, _ delivery: borrowing Delivery) {
        guard let elements, plan == nil else { return }
        plan = elements.plan(whole)
        if plan == nil { warnOfMisfit(elements.kind, elements.indexes, "does not fit the present value", delivery) }
    }

    @_alwaysEmitIntoClient
    func prior(of root: AnyObject, old: Value?, _ delivery: borrowing Delivery) -> KeyValueEvent<Value> {
        guard let plan else { return KeyValueEvent(subject: root, phase: .prior, new: nil, old: old) }
        var event = KeyValueEvent(plan.announced, .prior, of: root, wholeOld: old, delivery)
        if elements?.isOldKnown == false { event.old = nil }
        return event
    }

    @_alwaysEmitIntoClient
    func after(_ whole: Value?, old: Value?, of root: AnyObject, _ delivery: borrowing Delivery) -> KeyValueEvent<Value> {
        if let plan, let whole {
            if let made = plan.made(whole) { return KeyValueEvent(made, .after, of: root, wholeOld: old, wholeNew: whole, delivery) }
            warnOfMisfit(plan.announced.kind, plan.announced.elements?.indexes, "was not carried out", delivery)
        }
        return KeyValueEvent(subject: root, phase: .after, new: whole, old: old)
    }

    @usableFromInline
    @inline(never)
    func warnOfMisfit(_ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ how: String, _ delivery: borrowing Delivery) {
        if isMisfit { return }
        isMisfit = true
        let name = delivery.withList { $0.qualifiedName }
        let change = indexes.map { "\(kind) at \($0)" } ?? "\(kind)"
        ObservationDiagnostics.warn(
            .unfulfilledAnnouncement, at: position,
            """
            The change of `\(name)` that was announced at \(position) as \(change) \(how), so observers get a setting. Announce the change that is \
            made.
            """)
    }
}

extension Delivery {
    /// `true` if the list stands for a key that is announced by hand, which only key paths follow.
    @usableFromInline
    var isOfAnnouncedKey: Bool { withList { $0.property == 0 } }

    /// `true` if this thread may read the value of the key.
    ///
    /// It may not while a property is mutated in place that the getter reads, nor where nobody is who follows the key.
    @usableFromInline
    var isReadable: Bool {
        withList { list in
            list.property == 0 ? list.followers.contains { $0.isReadableHere } : !list.isOpen.load(ordering: .relaxed)
        }
    }

    @usableFromInline
    func markUnlessNewest(_ number: UInt64) { withList { $0.markUnlessNewest(number) } }
}
