internal import CSafeKVO

/// A change of a key path that the program announces by hand: to come, and as made.
struct ManualChange<Root: KeyValueObservable, Value> {
    let root: Root
    let keyPath: KeyPath<Root, Value>
    let change: AnnouncedChange<Value>
    let place: AnnouncementPlace

    /// The lists of the key path's observers: one for each class that a computed property was observed by.
    ///
    /// Not retained: the root's record keeps them.
    private var lists: [Unretained<ObserverList>] {
        root.keyValueRegistrar.withRecord(ownedBy: root) { $0.lists(announcedBy: keyPath) } ?? []
    }

    /// Makes a list for a key path that has none, if somebody observes the root as a whole.
    private func findList() {
        // SAFETY: (of what is marked below) the caller holds the root, whose record keeps the lists.
        guard PropertyAccess.isEntirelyObserved(root, root.keyValueRegistrar), unsafe !Unretained(root).isBeingDestroyed, lists.isEmpty
        else {
            return
        }
        KeyPathResolution(of: root, keyPath, PathSteps(keyPath)).finish()
    }

    /// What evaluates the whole object for the observers of a list, if the list is about that: they may name another class of the object.
    private func entireObject(_ list: Unretained<ObserverList>) -> TrackedPath? {
        unsafe list.with { $0.hook as? TrackedPath }.flatMap { $0.isEntire ? $0 : nil }
    }

    private var value: Value { Recording.suspended { root[keyPath: keyPath] } }

    /// Announces that the change is to come.
    ///
    /// - Parameter assignments: How many assignments meanwhile are part of the change, at most.
    func willChange(assignments: Int) {
        findList()
        for list in lists { willChange(list, assignments) }
    }

    private func willChange(_ list: Unretained<ObserverList>, _ assignments: Int) {
        if nest(in: list) || AnnouncedScope.isOlder(than: list) { return }
        guard var delivery = Delivery(to: list) else { return }
        if let path = entireObject(list) {
            let limit = delivery.settledLimit
            let announcement = ManualAnnouncement(change, plan: nil, old: nil, limit: limit, assignments: assignments, at: place)
            path.entireObjectWillChange(root, limit: limit)
            unsafe list.with { $0.withAnnouncements { $0.append(announcement) } }
            return delivery.finish()
        }
        let wantsOld = delivery.wantsOldValues
        let whole = wantsOld || change.kind != .setting ? value : nil
        let plan = whole.flatMap { change.plan($0) }
        if plan == nil, change.kind != .setting { warnOfMisfit("cannot be done to the value that is there", of: list) }
        var event = KeyValueEvent<Value>(
            subject: root, kind: plan == nil ? .setting : change.kind, phase: .prior, new: nil,
            old: wantsOld ? plan == nil ? whole : plan?.old : nil, elements: elements(plan), wholeOld: wantsOld ? whole : nil)
        event.header.isByHand = true
        let limit = delivery.settledLimit
        let announcement = ManualAnnouncement(
            change, plan: plan, old: wantsOld ? whole : nil, limit: limit, assignments: assignments, at: place)
        unsafe list.with { $0.withAnnouncements { $0.append(announcement) } }
        // A batch is to know which change began first.
        if delivery.concernsAnybodyBefore || safekvo_has_batch() { event.deliver(through: &delivery, onlyPrior: true) }
        delivery.finish()
    }

    /// Announces that the change was made.
    func didChange() {
        for list in lists { didChange(list) }
    }

    private func didChange(_ list: Unretained<ObserverList>) {
        let ended: OpenAnnouncement? = unsafe list.with {
            $0.withAnnouncements { announcements in
                guard let index = announcements.lastIndex(where: { $0.thread == safekvo_thread() }) else { return nil }
                return announcements[index].end() ? announcements.remove(at: index) : nil
            }
        }
        if ended != nil, let path = entireObject(list) { return path.entireObjectDidChange(root) }
        guard let open = ended as? ManualAnnouncement<Value>,
            var delivery = Delivery(to: list, limit: open.limit, isAnnounced: true, hearsLate: false)
        else {
            return
        }
        let number = delivery.numberChange()
        let whole = value
        var event: KeyValueEvent<Value>
        if let plan = open.plan, open.change.isSame(change), let fulfilment = plan.fulfilment(whole) {
            event = KeyValueEvent(
                subject: root, kind: open.change.kind, phase: .after, new: fulfilment.new, old: open.old == nil ? nil : plan.old,
                elements: elements(plan), wholeNew: whole, wholeOld: open.old)
        } else {
            if open.plan != nil {
                warnOfMisfit(
                    open.change.isSame(change) ? "was not carried out" : "was announced to come as \(open.change.name ?? "")", of: list)
            }
            event = KeyValueEvent(subject: root, phase: .after, new: whole, old: open.old)
        }
        event.header.isByHand = true
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Makes this announcement part of one that is open on this thread.
    ///
    /// - Returns: false if there is none.
    private func nest(in list: Unretained<ObserverList>) -> Bool {
        let (isNested, abandoned): (Bool, [OpenAnnouncement]) = unsafe list.with {
            $0.withAnnouncements { announcements in
                var abandoned: [OpenAnnouncement] = []
                while let index = announcements.lastIndex(where: { $0.thread == safekvo_thread() }) {
                    if announcements[index].nest(place) { return (true, abandoned) }
                    abandoned.append(announcements.remove(at: index))
                }
                return (false, abandoned)
            }
        }
        for open in abandoned {
            ObservationDiagnostics.warn(
                .abandonedAnnouncement, at: open.begin.position,
                "The change of \(name(list)) announced here was never announced as made; use withChange(of:_:), which always is.")
            KeyValueEventHeader.tellDependents(.abandoned, of: root, list)
        }
        return isNested
    }

    private func elements(_ plan: AnnouncedChange<Value>.Plan?) -> ElementsChange? {
        plan.map { ElementsChange(indexes: change.indexes, isEmpty: $0.isEmpty) }
    }

    /// What changes, for people.
    private func name(_ list: Unretained<ObserverList>) -> String { unsafe "\(type(of: root)).\(list.object.name)" }

    private func warnOfMisfit(_ how: String, of list: Unretained<ObserverList>) {
        guard let kind = change.name else { return }
        ObservationDiagnostics.warn(
            .unfulfilledAnnouncement, at: place.position,
            "The change of \(name(list)) announced as \(kind) \(how); observers are told a setting. Announce what is done.")
    }
}
