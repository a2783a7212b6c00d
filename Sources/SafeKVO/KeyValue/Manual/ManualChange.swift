internal import CSafeKVO
internal import Synchronization

/// A manual notification of one change of one key path of an object.
///
/// ``ManualSteps`` does what depends on the type of the value. A computed or nested key path is evaluated by its ``TrackedPath``.
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
    private let make: (ManualChange, _ cutoff: UInt64) -> AnnouncementPart
    private let begin: Step
    private let end: Step

    /// Notifies the observers in a list that belongs to no ``TrackedPath``, before or after the change.
    @usableFromInline
    typealias Step = (_ change: ManualChange, _ part: AnnouncementPart, _ delivery: inout Delivery) -> Void

    @usableFromInline
    init(
        _ root: any KeyValueObservable, _ keyPath: AnyKeyPath, _ elements: AnyObject?, _ position: SourcePosition,
        track: @escaping (ManualChange, _TrackedAccess) -> Void, make: @escaping (ManualChange, _ cutoff: UInt64) -> AnnouncementPart,
        begin: @escaping Step, end: @escaping Step
    ) {
        (self.root, self.keyPath, self.elements, self.position) = (root, keyPath, elements, position)
        (self.track, self.make, self.begin, self.end) = (track, make, begin, end)
    }

    @_alwaysEmitIntoClient
    package convenience init<Root: KeyValueObservable, Value>(
        root: Root, keyPath: KeyPath<Root, Value>, elements: AnnouncedChange<Value>? = nil, position: SourcePosition
    ) {
        self.init(
            root, keyPath, elements, position,
            track: { ManualSteps<Root, Value>.track($0, $1) },
            make: { ManualSteps<Root, Value>.make($0, $1) },
            begin: { ManualSteps<Root, Value>.begin($0, $1, &$2) },
            end: { ManualSteps<Root, Value>.end($0, $1, &$2) })
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
        SchedulePoint.pass(.announcementOpen)
        let part = make(self, record.currentSerial)
        open.part = part
        SchedulePoint.pass(.announcementBegun)
        for list in lists(in: record, besides: open) { begin(part, list) }
        record.notifyEntireList(of: root, onlyPrior: true, upTo: part.cutoff, by: open)
        open.isReportable = true
        UnreportedKey.warn(of: keyPath, root, record, announcedAt: position)
    }

    /// Begins the change for the observers in a list; `store` gets what ``end(_:_:)`` needs.
    package func begin(_ list: Unretained<ObserverList>, store: (AnnouncementPart) -> Void) {
        let part = make(self, with(list) { $0.withRecord { $0.currentSerial } })
        store(part)
        begin(part, list)
    }

    private func begin(_ part: AnnouncementPart, _ list: Unretained<ObserverList>) {
        if let path = path(of: list) { return path.willAnnounce(root, part) }
        guard var delivery = Delivery(to: list, cutoff: part.cutoff) else { return }
        begin(self, part, &delivery)
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
        defer { record.forget(open) }
        SchedulePoint.pass(.announcementEnded)
        guard let part = open.part else { return }
        // Look for the lists again: other threads may have made some. The observers of the key itself come before those of what depends on it,
        // whose handlers may change it again.
        var others: [Unretained<ObserverList>] = []
        for list in lists(in: record) {
            guard let path = path(of: list) else {
                others.append(list)
                continue
            }
            if isCancelled { path.cancelAnnouncement(root) } else { path.didAnnounce(root, part) }
        }
        for list in others { if isCancelled { cancel(list) } else { end(part, list) } }
        if !isCancelled { record.notifyEntireList(of: root, onlyPrior: false, upTo: part.cutoff, by: open) }
    }

    package func end(_ part: AnnouncementPart, _ list: Unretained<ObserverList>) {
        guard var delivery = Delivery(to: list, cutoff: part.cutoff, isAnnounced: true) else { return }
        part.number = delivery.numberChange()
        SchedulePoint.pass(.afterNumber)
        // The getter need not run for nobody. Whoever registers now finds the new number, and reads the value.
        if !with(list, { $0.isEmpty }) { end(self, part, &delivery) }
        delivery.finish()
    }

    private func cancel(_ list: Unretained<ObserverList>) {
        KeyValueEventHeader.notifyDependentsOfEnd(of: root, list, isByHand: true)
    }

    // MARK: Both

    /// The lists whose observers the change concerns, unless this thread is announcing an equivalent key path besides, whose end notifies them.
    private func lists(in record: ObservationRecord, besides open: OpenAnnouncement? = nil) -> [Unretained<ObserverList>] {
        let lists = record.lists(announcedBy: keyPath)
        let isAlone = record.announcementCount.load(ordering: .relaxed) == 1
        return isAlone ? lists : lists.filter { !with($0) { record.isChangingHere($0, besides: open) } }
    }

    private func path(of list: Unretained<ObserverList>) -> TrackedPath? { with(list) { $0.path } }

    private func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        // SAFETY: `list` comes from the record of `root`. This object retains `root`, which retains the record and its lists.
        unsafe list.with(body)
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

    @_alwaysEmitIntoClient
    static func make(_ change: ManualChange, _ cutoff: UInt64) -> AnnouncementPart {
        let elements = change.elements.map { unsafe unsafeDowncast($0, to: AnnouncedChange<Value>.self) }
        return ManualAnnouncement<Value>(elements, cutoff: cutoff, change.position)
    }

    @_alwaysEmitIntoClient
    private static func typed(_ part: AnnouncementPart) -> ManualAnnouncement<Value> {
        unsafe unsafeDowncast(part, to: ManualAnnouncement<Value>.self)
    }

    /// Reads the value for the observers in a list; returns nil if it is not needed, or cannot be read now.
    @_alwaysEmitIntoClient
    private static func value(_ change: ManualChange, if isNeeded: Bool, _ delivery: borrowing Delivery) -> Value? {
        isNeeded && delivery.isReadable ? TypedPath.look(root(change), keyPath(change)) : nil
    }

    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    static func begin(_ change: ManualChange, _ part: AnnouncementPart, _ delivery: inout Delivery) {
        let part = typed(part)
        let whole = value(change, if: delivery.wantsOldValues || part.elements != nil, delivery)
        if let whole { part.plan(whole, delivery) }
        if delivery.wantsOldValues { part.old = whole }
        guard delivery.wantsPriorCalls || delivery.hasDependents else { return }
        var event = part.prior(of: change.root, old: part.old, delivery)
        event.header.isByHand = true
        if delivery.isOfAnnouncedKey { event.wholeOld = whole }
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @_alwaysEmitIntoClient
    @_semantics("optimize.sil.specialize.generic.never")
    static func end(_ change: ManualChange, _ part: AnnouncementPart, _ delivery: inout Delivery) {
        let part = typed(part)
        let whole = value(change, if: !delivery.isOfAnnouncedKey || part.isPlanned, delivery)
        let isOfProperty = !delivery.isOfAnnouncedKey
        if isOfProperty { delivery.markUnlessNewest(whole == nil ? 0 : part.number) }
        var event = part.after(whole, old: part.old, of: change.root, delivery)
        event.header.isByHand = true
        event.header.number = part.number
        if isOfProperty, whole == nil {
            // The property is being mutated in place, and must not be read. The end of the mutation hands the value over.
            event.deliver(through: &delivery) { $0.isDependency }
        } else {
            event.deliver(through: &delivery, onlyPrior: false)
        }
    }
}
