internal import CSafeKVO

/// A manual notification of one change of one key path of an object.
///
/// What depends on the type of the value is in ``TypedManualChange``.
package class ManualChange {
    fileprivate let root: any KeyValueObservable
    private let keyPath: AnyKeyPath
    fileprivate let position: SourcePosition
    private var open: OpenAnnouncement?
    /// `true` if the end notifies nobody, because the change was not made.
    var isCancelled = false

    fileprivate init(root: any KeyValueObservable, keyPath: AnyKeyPath, position: SourcePosition) {
        (self.root, self.keyPath, self.position) = (root, keyPath, position)
    }

    fileprivate func track(_ access: _TrackedAccess) {}

    /// Stores what the end needs, and calls the observers of a delivery before the change.
    fileprivate func begin(
        _ list: Unretained<ObserverList>, isHere: Bool, _ delivery: inout Delivery, store: (AnnouncementPart) -> Void
    ) {}

    /// Calls the observers of a delivery after the change; only the key paths that depend on a key whose `path` is at home elsewhere.
    fileprivate func end(_ part: AnnouncementPart, _ number: UInt64, elsewhere path: TrackedPath?, _ delivery: inout Delivery) {}

    /// Finds the present dependencies of a computed or nested key path.
    fileprivate func follow(_ list: Unretained<ObserverList>) {}

    // MARK: The beginning

    /// Begins the change, and calls the observers with the option `prior`; does nothing if the object is being deallocated.
    ///
    /// A change that is nested in another one of the same key path on this thread notifies nobody.
    func begin(isBare: Bool = false) {
        if isBeingDestroyed(root) { return }
        track(.willSet)
        let record = root.keyValueRegistrar.record(of: root)
        // From here on, assignments to the key path are part of this change, even those by a getter or a handler.
        let (open, isOutermost) = record.beginAnnouncement(of: keyPath, bare: isBare ? position : nil)
        self.open = open
        if !isOutermost { return }
        open.limit = record.currentSerial
        let lists = record.lists(announcedBy: keyPath)
        open.listCount = record.listCount
        for list in lists {
            // This thread is already announcing an equivalent key path. The end of that change notifies the observers in `list`.
            if with(list, { record.isChangingHere($0, besides: open) }) { continue }
            begin(list) { open.parts.append($0) }
        }
        record.tellEntireList(of: root, onlyPrior: true, upTo: open.limit, by: open)
        open.isReportable = true
        UnreportedKey.warn(of: keyPath, root, record, announcedAt: position)
    }

    /// Begins the change for the observers in a list; `store` gets what ``end(_:)`` needs.
    package func begin(_ list: Unretained<ObserverList>, store: (AnnouncementPart) -> Void) {
        guard var delivery = Delivery(to: list) else { return }
        // Elsewhere, neither the getter nor a handler runs.
        begin(list, isHere: pathElsewhere(list) == nil, &delivery, store: store)
        delivery.finish()
    }

    // MARK: The end

    /// Ends the change that a call such as `willChangeValue(for:)` began on this thread; does nothing if there is none.
    func endBare() {
        open = root.keyValueRegistrar.withRecord(ownedBy: root, { $0.announcement(of: keyPath) }) ?? nil
        end(isBare: true)
    }

    /// Ends the change that was begun, and notifies the observers, unless it is cancelled.
    ///
    /// The end of a change that is nested in another one of the same key path notifies nobody.
    func end(isBare: Bool = false) {
        guard let open else { return }
        track(.didSet)
        let record = root.keyValueRegistrar.record(of: root)
        guard record.end(open, isBare: isBare) else { return }
        if open.listCount != record.listCount { addLaterParts(to: open, record) }
        for part in open.parts {
            if isCancelled { cancel(part) } else { end(part) }
        }
        if !isCancelled { record.tellEntireList(of: root, onlyPrior: false, upTo: open.limit, by: open) }
    }

    package func end(_ part: AnnouncementPart) {
        guard var delivery = Delivery(to: part.list, limit: part.limit, isAnnounced: true) else { return }
        let number = delivery.numberChange()
        // The getter need not run for nobody. Whoever registers now finds the new number, and reads the value.
        if with(part.list, { $0.isEmpty }) { return delivery.finish() }
        let path = pathElsewhere(part.list)
        path?.changedElsewhere(Unretained(root as AnyObject), isShared: true)
        end(part, number, elsewhere: path, &delivery)
        delivery.finish()
    }

    /// The path of a list's key, if it may not be evaluated here (rule 40).
    private func pathElsewhere(_ list: Unretained<ObserverList>) -> TrackedPath? {
        with(list) { $0.path }.flatMap { $0.home.isHere(afterChangeOfAtomic: false) ? nil : $0 }
    }

    private func cancel(_ part: AnnouncementPart) {
        if pathElsewhere(part.list) == nil { follow(part.list) }
        KeyValueEventHeader.tellDependentsOfEnd(of: root, part.list, isByHand: true)
    }

    /// Adds the lists on which key paths have begun to depend since the change began.
    private func addLaterParts(to open: OpenAnnouncement, _ record: ObservationRecord) {
        for list in record.lists(announcedBy: keyPath) where !open.parts.contains(where: { $0.list == list }) {
            if with(list, { record.isChangingHere($0) }) { continue }
            open.parts.append(AnnouncementPart(list, limit: open.limit))
        }
    }

    // MARK: Both

    fileprivate func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        // SAFETY: `list` comes from the record of `root`. This object retains `root`, which retains the record and its lists.
        unsafe list.with(body)
    }

    @inline(never)
    fileprivate func warnOfMisfit(
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

/// A manual notification of a key path whose value has a known type.
package final class TypedManualChange<Root: KeyValueObservable, Value>: ManualChange {
    private let object: Root
    private let typedKeyPath: KeyPath<Root, Value>
    /// The change of elements; nil if the whole value is set.
    private let elements: AnnouncedChange<Value>?

    package init(root: Root, keyPath: KeyPath<Root, Value>, elements: AnnouncedChange<Value>? = nil, position: SourcePosition) {
        (object, typedKeyPath, self.elements) = (root, keyPath, elements)
        super.init(root: root, keyPath: keyPath, position: position)
    }

    private var value: Value { Recording.suspended { object[keyPath: typedKeyPath] } }

    override fileprivate func track(_ access: _TrackedAccess) { object._track(access) { typedKeyPath } }

    override fileprivate func begin(
        _ list: Unretained<ObserverList>, isHere: Bool, _ delivery: inout Delivery, store: (AnnouncementPart) -> Void
    ) {
        let whole = isHere && (delivery.wantsOldValues || elements != nil) ? value : nil
        let old = delivery.wantsOldValues ? whole : nil
        let plan = whole.flatMap { elements?.plan($0) }
        if whole != nil, plan == nil, let elements {
            warnOfMisfit(elements.kind, elements.indexes, "does not fit the present value", position, of: list)
        }
        store(ManualAnnouncement(list, limit: delivery.settledLimit, plan: plan, old: old, position))
        guard isHere, delivery.wantsPriorCalls || delivery.hasDependents else { return }
        var event =
            plan.map { KeyValueEvent($0.announced, .prior, of: object, wholeOld: old, delivery) }
            ?? KeyValueEvent(subject: object, phase: .prior, new: nil, old: old)
        if plan != nil, elements?.isOldKnown == false { event.old = nil }
        event.header.isByHand = true
        event.deliver(through: &delivery, onlyPrior: true)
    }

    override fileprivate func end(
        _ part: AnnouncementPart, _ number: UInt64, elsewhere path: TrackedPath?, _ delivery: inout Delivery
    ) {
        var event =
            path == nil ? event(of: part, number, delivery) : KeyValueEvent<Value>(subject: object, phase: .after, new: nil, old: nil)
        event.header.isByHand = true
        event.header.number = number
        if path == nil {
            event.deliver(through: &delivery, onlyPrior: false)
        } else {
            event.deliver(through: &delivery) { $0.isDependency }
        }
    }

    private func event(of part: AnnouncementPart, _ number: UInt64, _ delivery: borrowing Delivery) -> KeyValueEvent<Value> {
        let whole = valueToFollow(of: part.list)
        with(part.list) { $0.markUnlessNewest(number) }
        let part = part as? ManualAnnouncement<Value>
        if let part, let plan = part.plan {
            if let made = plan.made(whole) {
                return KeyValueEvent(made, .after, of: object, wholeOld: part.old, wholeNew: whole, delivery)
            }
            warnOfMisfit(plan.announced.kind, plan.announced.elements?.indexes, "was not carried out", part.position, of: part.list)
        }
        return KeyValueEvent(subject: object, phase: .after, new: whole, old: part?.old)
    }

    override fileprivate func follow(_ list: Unretained<ObserverList>) { _ = valueToFollow(of: list) }

    /// Reads the value, and finds the present dependencies of a computed or nested key path.
    private func valueToFollow(of list: Unretained<ObserverList>) -> Value {
        guard let path = with(list, { $0.path }), type(of: path.keyPath) == type(of: typedKeyPath) else { return value }
        return TypedPath<Root, Value>.present(path, object)
    }
}

private final class ManualAnnouncement<Value>: AnnouncementPart {
    let plan: AnnouncedChange<Value>.Plan?
    let old: Value?
    let position: SourcePosition

    init(
        _ list: Unretained<ObserverList>, limit: UInt64, plan: AnnouncedChange<Value>.Plan?, old: Value?, _ position: SourcePosition
    ) {
        self.plan = plan
        self.old = old
        self.position = position
        super.init(list, limit: limit)
    }
}
