internal import CSafeKVO
internal import SafeKVO

/// A key path of an object of another system that somebody observes: one registration for each key, at each object on the way.
///
/// A system could be asked for the whole path at once. But when it then takes the registration back it asks the object for what is on the way, and
/// it raises when something on the way cannot be observed; this must do neither, least of all in an object's destruction.
final class ForeignPath: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to `lock`, but that only the thread that arranges changes `hops` and `fault`.

    let name: ForeignKeyPath
    // Kept, and keeping this, until the last observer of the path or the object goes.
    let root: ForeignSubject
    private let lock = Lock()

    /// A registration for one key.
    private struct Hop {
        let subject: ForeignSubject
        let number: UInt
        /// `true` until the system has the registration.
        var isPending = true
    }

    /// An observation that began while the registrations were not complete.
    private struct Unsettled: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the value is compared where it was read: in the isolation of the handler, if it has one.
        let info: ObservationInfo
        /// What it was told first, if it was told a value.
        var initial: ForeignValue?
    }

    /// The registrations there are, from the root on.
    private var hops: [Hop] = []
    /// Whether the way ends at an object that cannot be observed by the key, rather than at nil.
    private var isFaulty = false
    /// How many observations there are.
    private var observations = 0
    /// How many of them want to know the value after a change.
    private var readers = 0
    /// The changes that were announced and are not yet told as made.
    private var open: [OpenForeignChange] = []

    /// Whether the hops are what they should be.
    private var isArranged = false
    /// How often somebody has asked for an arrangement, and how many of these requests are met.
    private var requests = 0
    private var metRequests = 0
    /// `true` while a thread arranges.
    private var isBusy = false
    /// The observations that are handed the value when the registrations are complete.
    private var unsettled: [Unsettled] = []

    init(_ name: ForeignKeyPath, of root: ForeignSubject) {
        self.name = name
        self.root = root
    }

    var listName: String? { name.name }

    // MARK: Observations

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if info.flags.contains(.retainsSubject) { root.countKeeper(1) }
        if let request = count(info, 1) { arrange(request) }
        lock.withLock { if !isSettled { unsettled.append(Unsettled(info: info)) } }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if let request = count(info, -1) { arrange(request) }
        if list.isEmpty { root.removeIfUnused(list, name) }
        // Last: this may be the end of the object.
        if info.flags.contains(.retainsSubject) { root.countKeeper(-1) }
    }

    /// Counts an observation in or out; if the hops must be arranged for it, the number of that request.
    private func count(_ info: ObservationInfo, _ change: Int) -> Int? {
        lock.withLock {
            observations += change
            if !info.flags.isDisjoint(with: [.newValue, .comparesValues, .wholeValue]) { readers += change }
            // Whoever arranges right now may be too far to see it.
            if !isBusy, (observations > 0) == isArranged { return nil }
            requests += 1
            return requests
        }
    }

    /// Notes what an observation is told first.
    func noteInitial(_ value: ForeignValue?, _ info: ObservationInfo) {
        lock.withLock {
            if let index = unsettled.firstIndex(where: { $0.info === info }) { unsettled[index].initial = value }
        }
    }

    // MARK: Observations that began too early

    /// `true` if every change is heard of: nobody arranges, and the system has all registrations (under the lock).
    private var isSettled: Bool { !isBusy && !hops.contains { $0.isPending } }

    /// Takes out the observations that began while the registrations were not complete, if they are now (under the lock).
    private func takeUnsettled() -> [Unsettled] {
        if !isSettled { return [] }
        defer { unsettled = [] }
        return unsettled
    }

    /// Hands the value to the observations that began while the registrations were not complete, so that a change of which nobody heard does not
    /// leave them with an old one.
    ///
    /// A handler that was formed in an actor's isolation is called there, one hop later.
    private func settle(_ unsettled: [Unsettled]) {
        for entry in unsettled where !entry.info.isOver {
            warnIfUnobservable(entry.info.position)
            guard entry.info.flags.contains(.initialCall) else { continue }
            let tell: @Sendable () -> Void = { self.tellPresent(entry) }
            if let isolation = entry.info.isolationElsewhere { isolation.enqueue(tell) } else { tell() }
        }
    }

    private func tellPresent(_ entry: Unsettled) {
        guard let object = root.object, let list = root.list(of: name), list.hook === self, !entry.info.isOver else { return }
        let number = list.numberChange()
        let value = entry.info.flags.contains(.newValue) ? read() : nil
        if let value, let initial = entry.initial, initial.isKnownToEqual(value) { return }
        var event = KeyValueEvent<ForeignValue>(subject: object, phase: .after, new: value, old: nil)
        event.header.number = number
        event.withPointer { pointer, box in ObservationBroker.shared.forwardAlone(pointer, to: entry.info, box: box) }
    }

    /// Reports a path that cannot be observed as it is.
    func warnIfUnobservable(_ position: SourcePosition) {
        guard lock.withLock({ isArranged && isFaulty }), let object = root.object else { return }
        ObservationDiagnostics.warnOnce(
            .nothingObservable, at: position,
            """
            The observation of `\(type(of: object)).\(name.name)` at \(position) misses changes, because a property on its path cannot be observed. \
            Declare each one `@objc dynamic` in a subclass of `NSObject`. Only the last one may be a collection.
            """)
    }

    // MARK: Hops

    /// Sees to it that there is a registration for each key at the object that is there now, and none if nobody observes.
    ///
    /// One thread does. What is asked for meanwhile, by the getters that it calls or on other threads, is left to it, and nobody waits until it has
    /// done that: it may be in a getter of the program, which takes its time.
    private func arrange(_ request: Int) {
        let isMine = lock.withLock {
            if isBusy || metRequests >= request { return false }
            isBusy = true
            return true
        }
        if !isMine { return }
        var unsettled: [Unsettled] = []
        var isOver = false
        while !isOver {
            let (seen, isWanted) = lock.withLock { (requests, observations > 0) }
            let isFaulty = isWanted ? arrangeHops() : disconnect(from: 0)
            isOver = lock.withLock {
                self.isFaulty = isFaulty
                isArranged = isWanted
                metRequests = seen
                if requests != seen { return false }
                isBusy = false
                unsettled = takeUnsettled()
                return true
            }
        }
        settle(unsettled)
    }

    /// Takes note that the system has a registration that was left to another thread.
    ///
    /// What was read before, of the key on the way, may have been replaced before that.
    func didRegister(_ number: UInt) {
        let request: Int? = lock.withLock {
            guard let index = hops.firstIndex(where: { $0.number == number }) else { return nil }
            hops[index].isPending = false
            requests += 1
            return requests
        }
        if let request { arrange(request) }
    }

    private func newRequest() -> Int {
        lock.withLock {
            requests += 1
            return requests
        }
    }

    /// Registers and unregisters.
    ///
    /// - Returns: whether the way ends at an object that cannot be observed by the key.
    private func arrangeHops() -> Bool {
        guard var object = root.object else { return false }
        for (index, key) in name.keys.enumerated() {
            // Of two threads only this one changes them.
            let present = lock.withLock { index < hops.count ? hops[index].subject : nil }
            if present.map({ $0.object !== object }) ?? true {
                disconnect(from: index)
                guard root.system.canObserve(key, of: object) else { return true }
                guard let subject = ForeignSubject.standing(for: object, of: root.system) else { return false }
                let number = ForeignRegistrations.add(ForeignRegistrations.Target(path: self, hop: index))
                lock.withLock { hops.append(Hop(subject: subject, number: number)) }
                if subject.register(number, for: key) {
                    lock.withLock { if let index = hops.firstIndex(where: { $0.number == number }) { hops[index].isPending = false } }
                }
            }
            if index == name.keys.count - 1 { return false }
            // Read when it is registered: a change in between is a request.
            guard let next = Recording.suspended({ root.system.value(of: key, of: object) }) else {
                return disconnect(from: index + 1)
            }
            object = next as AnyObject
        }
        return true
    }

    /// Ends the registrations from one on.
    ///
    /// - Returns: false: nothing is at fault.
    @discardableResult
    private func disconnect(from index: Int) -> Bool {
        while let hop = lock.withLock({ hops.count > index ? hops.removeLast() : nil }) {
            ForeignRegistrations.remove(hop.number)
            hop.subject.unregister(hop.number)
            abandon(where: { $0.number == hop.number })
        }
        return false
    }

    /// The present value; nil if it cannot be read.
    ///
    /// It goes the way anew: while another thread arranges, the registrations may still be those of objects that were replaced.
    func read() -> ForeignValue? {
        guard var object = root.object else { return nil }
        for (index, key) in name.keys.enumerated() {
            let registered = lock.withLock { index < hops.count ? hops[index].subject : nil }
            // What is registered was asked about before.
            guard registered?.object === object || root.system.canObserve(key, of: object) else { return nil }
            guard let value = Recording.suspended({ root.system.value(of: key, of: object) }) else { return ForeignValue(value: nil) }
            if index == name.keys.count - 1 { return ForeignValue(value: value) }
            object = value as AnyObject
        }
        return nil
    }

    // MARK: Changes

    /// Takes note of a change of one key.
    func take(_ change: ForeignChange, _ number: UInt, at hop: Int) {
        // A change in the destruction of what changes, or of what the path begins with, is nobody's business.
        guard let object = root.object, let list = root.list(of: name), list.hook === self,
            let changed = lock.withLock({ hop < hops.count && hops[hop].number == number ? hops[hop].subject : nil }), changed.object != nil
        else { return }
        let isLast = hop == name.keys.count - 1
        if change.isPrior {
            let next = lock.withLock { hop + 1 < hops.count ? hops[hop + 1].subject : nil }
            begin(
                isLast ? change : ForeignChange(kind: .setting, indexes: nil, isPrior: true), number, list, object, next: next?.object)
        } else if var begun = takeOut(number) {
            if !isLast { withExtendedLifetime(begun) { arrange(newRequest()) } }
            begun.next = nil
            end(begun, list, object)
        }
    }

    private func begin(_ change: ForeignChange, _ number: UInt, _ list: ObserverList, _ object: AnyObject, next: AnyObject?) {
        guard var delivery = Delivery(to: Unretained(list)) else { return }
        let isBatch = safekvo_has_batch()
        let wantsOld = delivery.wantsOldValues || isBatch
        let whole = wantsOld || change.kind != .setting ? read() : nil
        let begun = OpenForeignChange(
            change, number, limit: delivery.settledLimit, old: wantsOld ? whole : nil, shape: .init(change, whole, root.system), next: next,
            elementsOf: root.system.elements(of:))
        let forgotten = lock.withLock { () -> OpenForeignChange? in
            open.append(begun)
            let mine = open.indices.filter { open[$0].thread == begun.thread }
            return mine.count > Self.mostOpen ? open.remove(at: mine[0]) : nil
        }
        withExtendedLifetime(forgotten) {}
        if delivery.wantsPriorCalls || isBatch {
            var event = begun.announcement(of: object)
            event.deliver(through: &delivery, onlyPrior: true)
        }
        delivery.finish()
    }

    /// Changes that were announced by hand and never made are forgotten in the end.
    private static let mostOpen = 64

    /// The innermost change of this thread that was announced under the number, if any; it is open no longer.
    private func takeOut(_ number: UInt) -> OpenForeignChange? {
        let me = safekvo_thread()
        return lock.withLock {
            open.lastIndex { $0.number == number && $0.thread == me }.map { open.remove(at: $0) }
        }
    }

    /// Forgets changes that will not be told.
    private func abandon(where isOver: (OpenForeignChange) -> Bool) {
        let abandoned = lock.withLock { () -> [OpenForeignChange] in
            let over = open.filter(isOver)
            open.removeAll(where: isOver)
            return over
        }
        withExtendedLifetime(abandoned) {}
    }

    private func end(_ begun: OpenForeignChange, _ list: ObserverList, _ object: AnyObject) {
        guard var delivery = Delivery(to: Unretained(list), limit: begun.limit, isAnnounced: true, hearsLate: false) else { return }
        // SAFETY: as above.
        let isBatch = safekvo_has_batch()
        // They may have read the old value as their initial one: they registered on another thread since the change was announced.
        let late = isBatch ? [] : list.lateInfos(after: begun.limit)
        let isRead = isBatch || !late.isEmpty || begun.change.kind != .setting || lock.withLock { readers > 0 }
        let number = delivery.numberChange()
        let new = isRead ? read() : nil
        var event = begun.event(of: object, new: new) {
            // The announcement's own place is the other system's business: that of an observer leads to it.
            let position = list.firstInfo { !$0.isOver }?.position ?? .unknown
            ObservationDiagnostics.warn(
                .unfulfilledAnnouncement, at: position,
                """
                The change of `\(list.qualifiedName)`, which is observed at \(position), was announced as \($0) and not carried out, so \
                observers get a setting. Announce the change that is made.
                """)
        }
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        for info in late {
            var event = KeyValueEvent<ForeignValue>(subject: object, phase: .after, new: new, old: nil)
            event.header.number = number
            event.withPointer { pointer, box in ObservationBroker.shared.forwardAlone(pointer, to: info, box: box) }
        }
        delivery.finish()
    }
}
