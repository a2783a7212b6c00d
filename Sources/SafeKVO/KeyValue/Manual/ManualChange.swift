internal import CSafeKVO

/// A manual notification of one change of one key path of an object.
///
/// ``ManualSteps`` does what depends on the type of the value.
@usableFromInline
package final class ManualChange {
    @usableFromInline let root: any KeyValueObservable
    @usableFromInline let keyPath: AnyKeyPath
    /// The change of elements, an ``AnnouncedChange``; nil if the whole value is set.
    @usableFromInline let elements: AnyObject?
    @usableFromInline let position: SourcePosition
    private var open: OpenAnnouncement?
    /// `true` if the end notifies nobody, because the change was not made.
    @usableFromInline var isCancelled = false

    // The closures capture nothing.
    private let track: (ManualChange, _TrackedAccess) -> Void
    private let begin: Beginning
    private let end: End
    private let follow: (ManualChange, TrackedPath?) -> Void

    /// Stores what the end needs, and if `isHere` is `true`, calls the observers of a delivery before the change.
    @usableFromInline
    typealias Beginning = (
        _ change: ManualChange, _ list: Unretained<ObserverList>, _ isHere: Bool, _ delivery: inout Delivery,
        _ store: (AnnouncementPart) -> Void
    ) -> Void

    /// Calls the observers of a delivery after the change; if `isHere` is `false`, only the key paths that depend on the key.
    @usableFromInline
    typealias End = (
        _ change: ManualChange, _ part: AnnouncementPart, _ isHere: Bool, _ number: UInt64, _ delivery: inout Delivery
    ) -> Void

    @usableFromInline
    init(
        _ root: any KeyValueObservable, _ keyPath: AnyKeyPath, _ elements: AnyObject?, _ position: SourcePosition,
        track: @escaping (ManualChange, _TrackedAccess) -> Void, begin: @escaping Beginning, end: @escaping End,
        follow: @escaping (ManualChange, TrackedPath?) -> Void
    ) {
        (self.root, self.keyPath, self.elements, self.position) = (root, keyPath, elements, position)
        (self.track, self.begin, self.end, self.follow) = (track, begin, end, follow)
    }

    @_alwaysEmitIntoClient
    package convenience init<Root: KeyValueObservable, Value>(
        root: Root, keyPath: KeyPath<Root, Value>, elements: AnnouncedChange<Value>? = nil, position: SourcePosition
    ) {
        self.init(
            root, keyPath, elements, position,
            track: { ManualSteps<Root, Value>.track($0, $1) },
            begin: { ManualSteps<Root, Value>.begin($0, $1, $2, &$3, store: $4) },
            end: { ManualSteps<Root, Value>.end($0, $1, $2, $3, &$4) },
            follow: { _ = ManualSteps<Root, Value>.value($0, $1) })
    }

    // MARK: The beginning

    /// Begins the change, and calls the observers with the option `prior`; does nothing if the object is being deallocated.
    ///
    /// A change that is nested in another one of the same key path on this thread notifies nobody.
    @usableFromInline
    func begin(isBare: Bool = false) {
        if isBeingDestroyed(root) { return }
        track(self, .willSet)
        let record = root.keyValueRegistrar.record(of: root)
        // From here on, assignments to the key path are part of this change, even those by a getter or a handler.
        let (open, isOutermost) = record.beginAnnouncement(of: keyPath, bare: isBare ? position : nil)
        self.open = open
        if !isOutermost { return }
        open.cutoff = record.currentSerial
        SchedulePoint.pass(.announcementOpen)
        let lists = record.lists(announcedBy: keyPath)
        SchedulePoint.pass(.announcementBegun)
        open.listCount = record.listCount
        for list in lists {
            // This thread is already announcing an equivalent key path. The end of that change notifies the observers in `list`.
            if with(list, { record.isChangingHere($0, besides: open) }) { continue }
            begin(list) { open.parts.append($0) }
        }
        record.notifyEntireList(of: root, onlyPrior: true, upTo: open.cutoff, by: open)
        open.isReportable = true
        UnreportedKey.warn(of: keyPath, root, record, announcedAt: position)
    }

    /// Begins the change for the observers in a list; `store` gets what ``end(_:)`` needs.
    package func begin(_ list: Unretained<ObserverList>, store: (AnnouncementPart) -> Void) {
        guard var delivery = Delivery(to: list) else { return }
        // Elsewhere, neither the getter nor a handler runs.
        begin(self, list, pathElsewhere(list) == nil, &delivery, store)
        delivery.finish()
    }

    // MARK: The end

    /// Ends the change that a call such as `willChangeValue(for:)` began on this thread; does nothing if there is none.
    @usableFromInline
    func endBare() {
        open = root.keyValueRegistrar.withRecord(ownedBy: root, { $0.announcement(of: keyPath) }) ?? nil
        end(isBare: true)
    }

    /// Ends the change that was begun, and notifies the observers, unless it is cancelled.
    ///
    /// The end of a change that is nested in another one of the same key path notifies nobody.
    @usableFromInline
    func end(isBare: Bool = false) {
        guard let open else { return }
        track(self, .didSet)
        let record = root.keyValueRegistrar.record(of: root)
        guard record.end(open, isBare: isBare) else { return }
        SchedulePoint.pass(.announcementEnded)
        if open.listCount != record.listCount { addLaterParts(to: open, record) }
        for part in open.parts {
            if isCancelled { cancel(part) } else { end(part) }
        }
        if !isCancelled { record.notifyEntireList(of: root, onlyPrior: false, upTo: open.cutoff, by: open) }
    }

    package func end(_ part: AnnouncementPart) {
        guard var delivery = Delivery(to: part.list, cutoff: part.cutoff, isAnnounced: true) else { return }
        let number = delivery.numberChange()
        SchedulePoint.pass(.afterNumber)
        // The getter need not run for nobody. Whoever registers now finds the new number, and reads the value.
        if with(part.list, { $0.isEmpty }) { return delivery.finish() }
        let path = pathElsewhere(part.list)
        path?.changedElsewhere(Unretained(root as AnyObject), isShared: true)
        end(self, part, path == nil, number, &delivery)
        delivery.finish()
    }

    /// The path of a list's key, if it may not be evaluated here (rule 40).
    private func pathElsewhere(_ list: Unretained<ObserverList>) -> TrackedPath? {
        path(of: list).flatMap { $0.isHere(afterChangeOfAtomic: false) ? nil : $0 }
    }

    private func cancel(_ part: AnnouncementPart) {
        if pathElsewhere(part.list) == nil { follow(self, path(of: part.list)) }
        KeyValueEventHeader.notifyDependentsOfEnd(of: root, part.list, isByHand: true)
    }

    /// Adds the lists on which key paths have begun to depend since the change began.
    private func addLaterParts(to open: OpenAnnouncement, _ record: ObservationRecord) {
        for list in record.lists(announcedBy: keyPath) where !open.parts.contains(where: { $0.list == list }) {
            if with(list, { record.isChangingHere($0) }) { continue }
            open.parts.append(AnnouncementPart(list, cutoff: open.cutoff))
        }
    }

    // MARK: Both

    @usableFromInline
    func path(of list: Unretained<ObserverList>) -> TrackedPath? { with(list) { $0.path } }

    private func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        // SAFETY: `list` comes from the record of `root`. This object retains `root`, which retains the record and its lists.
        unsafe list.with(body)
    }

    @usableFromInline
    @inline(never)
    func warnOfMisfit(
        _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ how: String, _ position: SourcePosition, of list: Unretained<ObserverList>
    ) {
        let name = with(list) { $0.qualifiedName }
        let change = indexes.map { "\(kind) at \($0)" } ?? "\(kind)"
        ObservationDiagnostics.warn(
            .unfulfilledAnnouncement, at: position,
            """
            The change of `\(name)` that was announced at \(position) as \(change) \(how), so observers get a setting. Announce the change that is \
            made.
            """)
    }
}

/// What a ``ManualChange`` does with values, whose types it does not know.
///
/// The compiler does not specialize the functions, so that a program has each of them once.
@usableFromInline
enum ManualSteps<Root: KeyValueObservable, Value> {
    // SAFETY: (of the downcasts below) `ManualChange.init(root:keyPath:elements:position:)` chooses `Root` and `Value`.

    @_alwaysEmitIntoClient
    private static func root(_ change: ManualChange) -> Root { unsafe unsafeDowncast(change.root, to: Root.self) }

    @_alwaysEmitIntoClient
    private static func keyPath(_ change: ManualChange) -> KeyPath<Root, Value> {
        unsafe unsafeDowncast(change.keyPath, to: KeyPath<Root, Value>.self)
    }

    @_alwaysEmitIntoClient
    static func track(_ change: ManualChange, _ access: _TrackedAccess) { root(change)._track(access) { keyPath(change) } }

    /// Reads the value, and finds the present dependencies of a computed or nested key path.
    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    static func value(_ change: ManualChange, _ path: TrackedPath? = nil) -> Value {
        if let path, type(of: path.keyPath) == type(of: change.keyPath) { return TypedPath<Root, Value>.present(path, change.root) }
        return TypedPath.look(change.root, keyPath(change))
    }

    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    static func begin(
        _ change: ManualChange, _ list: Unretained<ObserverList>, _ isHere: Bool, _ delivery: inout Delivery,
        store: (AnnouncementPart) -> Void
    ) {
        let elements = change.elements.map { unsafe unsafeDowncast($0, to: AnnouncedChange<Value>.self) }
        let whole = isHere && (delivery.wantsOldValues || elements != nil) ? value(change) : nil
        let old = delivery.wantsOldValues ? whole : nil
        let plan = whole.flatMap { elements?.plan($0) }
        if whole != nil, plan == nil, let elements {
            change.warnOfMisfit(elements.kind, elements.indexes, "does not fit the present value", change.position, of: list)
        }
        store(ManualAnnouncement(list, cutoff: delivery.settledCutoff, plan: plan, old: old, change.position))
        guard isHere, delivery.wantsPriorCalls || delivery.hasDependents else { return }
        var event =
            plan.map { KeyValueEvent($0.announced, .prior, of: change.root, wholeOld: old, delivery) }
            ?? KeyValueEvent(subject: change.root, phase: .prior, new: nil, old: old)
        if plan != nil, elements?.isOldKnown == false { event.old = nil }
        event.header.isByHand = true
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    static func end(
        _ change: ManualChange, _ part: AnnouncementPart, _ isHere: Bool, _ number: UInt64, _ delivery: inout Delivery
    ) {
        var event =
            isHere ? event(change, part, number, delivery) : KeyValueEvent<Value>(subject: change.root, phase: .after, new: nil, old: nil)
        event.header.isByHand = true
        event.header.number = number
        if isHere {
            event.deliver(through: &delivery, onlyPrior: false)
        } else {
            event.deliver(through: &delivery) { $0.isDependency }
        }
    }

    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    private static func event(
        _ change: ManualChange, _ part: AnnouncementPart, _ number: UInt64, _ delivery: borrowing Delivery
    ) -> KeyValueEvent<Value> {
        let whole = value(change, change.path(of: part.list))
        // SAFETY: the list comes from the record of the root, which retains the record and its lists.
        unsafe part.list.with { $0.markUnlessNewest(number) }
        let part = part as? ManualAnnouncement<Value>
        if let part, let plan = part.plan {
            if let made = plan.made(whole) {
                return KeyValueEvent(made, .after, of: change.root, wholeOld: part.old, wholeNew: whole, delivery)
            }
            change.warnOfMisfit(plan.announced.kind, plan.announced.elements?.indexes, "was not carried out", part.position, of: part.list)
        }
        return KeyValueEvent(subject: change.root, phase: .after, new: whole, old: part?.old)
    }
}

@usableFromInline
final class ManualAnnouncement<Value>: AnnouncementPart {
    @usableFromInline let plan: AnnouncedChange<Value>.Plan?
    @usableFromInline let old: Value?
    @usableFromInline let position: SourcePosition

    @_alwaysEmitIntoClient
    init(
        _ list: Unretained<ObserverList>, cutoff: UInt64, plan: AnnouncedChange<Value>.Plan?, old: Value?, _ position: SourcePosition
    ) {
        self.plan = plan
        self.old = old
        self.position = position
        super.init(list, cutoff: cutoff)
    }
}
