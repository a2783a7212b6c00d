internal import CSafeKVO

/// A manual notification of one change of one key path of an object.
struct ManualChange<Root: KeyValueObservable, Value> {
    let root: Root
    let keyPath: KeyPath<Root, Value>
    let change: AnnouncedChange<Value>
    let position: SourcePosition

    private var value: Value { Recording.suspended { root[keyPath: keyPath] } }

    // MARK: The beginning

    /// Begins the change, and calls the observers with the option `prior`; returns nil if the object is being deallocated.
    ///
    /// A change that is nested in another one of the same key path on this thread notifies nobody.
    @discardableResult
    func begin(_ form: OpenAnnouncement.Form) -> OpenAnnouncement? {
        if isBeingDestroyed(root) { return nil }
        root._track(.willSet) { keyPath }
        let record = root.keyValueRegistrar.record(of: root)
        // From here on, assignments to the key path are part of this change, even those by a getter or a handler.
        let (open, isOutermost) = record.beginAnnouncement(of: keyPath, form, at: position)
        if !isOutermost { return open }
        open.limit = record.currentSerial
        let lists = record.lists(announcedBy: keyPath)
        open.listCount = record.listCount
        for list in lists {
            // This thread is already announcing an equivalent key path. The end of that change notifies the observers in `list`.
            if with(list, { record.isChangingHere($0, besides: open) }) { continue }
            begin(open, list)
        }
        record.tellEntireList(of: root, onlyPrior: true, upTo: open.limit, by: open)
        open.isBegun = true
        UnreportedKey.warn(of: keyPath, root, record, announcedAt: position)
        return open
    }

    private func begin(_ open: OpenAnnouncement, _ list: Unretained<ObserverList>) {
        guard var delivery = Delivery(to: list) else { return }
        let limit = delivery.settledLimit
        let wantsOld = delivery.wantsOldValues
        let whole = wantsOld || change.kind != .setting ? value : nil
        let plan = whole.flatMap { change.plan($0) }
        if plan == nil, change.kind != .setting { warnOfMisfit("does not fit the present value", of: list) }
        var event = KeyValueEvent<Value>(
            subject: root, kind: plan == nil ? .setting : change.kind, phase: .prior, new: nil,
            old: wantsOld ? plan == nil ? whole : plan?.old : nil, elements: elements(plan), wholeOld: wantsOld ? whole : nil)
        event.header.origin = open.isScoped ? .scoped : .bare
        open.parts.append(ManualAnnouncement(change, of: list, limit: limit, plan: plan, old: wantsOld ? whole : nil))
        // A batch gets the event in any case, because it records the order in which changes begin.
        if delivery.concernsAnybodyBefore || safekvo_has_batch() { event.deliver(through: &delivery, onlyPrior: true) }
        delivery.finish()
    }

    // MARK: The end

    /// Ends the change that a call such as `willChangeValue(for:)` began on this thread; does nothing if there is none.
    func endBare() {
        guard let open = root.keyValueRegistrar.withRecord(ownedBy: root, { $0.announcement(of: keyPath) }) ?? nil else { return }
        end(open, .bare)
    }

    /// Ends the change and notifies the observers, unless `isCancelled` is `true`.
    ///
    /// The end of a change that is nested in another one of the same key path notifies nobody.
    func end(_ open: OpenAnnouncement, _ form: OpenAnnouncement.Form, isCancelled: Bool = false) {
        root._track(.didSet) { keyPath }
        let record = root.keyValueRegistrar.record(of: root)
        guard record.end(open, form) else { return }
        for part in open.parts {
            if isCancelled { cancel(part) } else { end(part) }
        }
        if !isCancelled { record.tellEntireList(of: root, onlyPrior: false, upTo: open.limit, by: open) }
        if open.listCount != record.listCount { updateLaterPaths(record, open) }
    }

    private func end(_ part: AnnouncementPart) {
        guard let part = part as? ManualAnnouncement<Value>,
            var delivery = Delivery(to: part.list, limit: part.limit, isAnnounced: true, hearsLate: false)
        else {
            return
        }
        let number = delivery.numberChange()
        // The getter need not run for nobody. Whoever registers now finds the new number, and reads the value.
        if with(part.list, { $0.isEmpty }) { return delivery.finish() }
        let whole = valueToFollow(of: part.list)
        with(part.list) { $0.noteRead(after: number) }
        var event: KeyValueEvent<Value>
        if let plan = part.plan, part.change.isSame(change), let fulfilment = plan.fulfilment(whole) {
            event = KeyValueEvent(
                subject: root, kind: change.kind, phase: .after, new: fulfilment.new, old: part.old == nil ? nil : plan.old,
                elements: elements(plan), wholeNew: whole, wholeOld: part.old)
        } else {
            if part.plan != nil {
                let isSame = part.change.isSame(change)
                warnOfMisfit(isSame ? "was not carried out" : "began as \(part.change.name ?? "")", of: part.list)
            }
            event = KeyValueEvent(subject: root, phase: .after, new: whole, old: part.old)
        }
        event.header.origin = .bare
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Reads the value, and finds the present dependencies of a computed or nested key path.
    private func valueToFollow(of list: Unretained<ObserverList>) -> Value {
        guard let path = with(list, { $0.hook as? TrackedPath }), type(of: path.keyPath) == type(of: keyPath),
            let recorder = path.beginIfPossible()
        else { return value }
        return TypedPathSteps<Root, Value>.evaluate(path, root, recorder)
    }

    private func cancel(_ part: AnnouncementPart) {
        _ = valueToFollow(of: part.list)
        KeyValueEventHeader.tellDependents(.abandoned, .bare, of: root, part.list)
    }

    /// Notifies the key paths that have begun to depend on the changed key path since the change began.
    private func updateLaterPaths(_ record: ObservationRecord, _ open: OpenAnnouncement) {
        for list in record.lists(announcedBy: keyPath) where !open.parts.contains(where: { $0.list == list }) {
            guard with(list, { $0.hasDependents && !record.isChangingHere($0) }),
                var delivery = Delivery(to: list, limit: 0, isAnnounced: true, hearsLate: false)
            else {
                continue
            }
            let number = delivery.numberChange()
            var event = KeyValueEvent(subject: root, phase: .after, new: value, old: nil)
            event.header.origin = .bare
            event.header.number = number
            event.deliver(through: &delivery, onlyPrior: false)
            delivery.finish()
        }
    }

    // MARK: Both

    private func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        // SAFETY: `list` comes from the record of `root`. This value retains `root`, which retains the record and its lists.
        unsafe list.with(body)
    }

    private func elements(_ plan: AnnouncedChange<Value>.Plan?) -> ElementsChange? {
        plan.map { ElementsChange(indexes: change.indexes, isEmpty: $0.isEmpty) }
    }

    private func warnOfMisfit(_ how: String, of list: Unretained<ObserverList>) {
        guard let kind = change.name else { return }
        let name = "\(type(of: root)).\(with(list) { $0.name })"
        ObservationDiagnostics.warn(
            .unfulfilledAnnouncement, at: position,
            """
            The change of `\(name)` that was announced at \(position) as \(kind) \(how), so observers get a setting. Announce the change that is \
            made.
            """)
    }
}

final class ManualAnnouncement<Value>: AnnouncementPart {
    let change: AnnouncedChange<Value>
    let plan: AnnouncedChange<Value>.Plan?
    let old: Value?

    init(
        _ change: AnnouncedChange<Value>, of list: Unretained<ObserverList>, limit: UInt64, plan: AnnouncedChange<Value>.Plan? = nil,
        old: Value? = nil
    ) {
        self.change = change
        self.plan = plan
        self.old = old
        super.init(list, limit: limit)
    }
}
