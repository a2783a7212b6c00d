internal import CSafeKVO
internal import SafeKVO

/// Observes a key path through another key-value observing system, such as Cocoa's.
///
/// The other system gets a registration for each key of the path, with the object that has the key now. Cocoa could register the whole path
/// at once. But the end of such a registration raises an exception if an object on the path cannot be observed.
///
/// One thread at a time updates the registrations. Other threads leave their requests to that thread, so that none waits for a getter of
/// the program.
///
/// While registrations are missing, changes may go unnoticed. So when the last missing registration is made, observers added meanwhile get
/// the present value if they wanted an initial call.
final class ForeignPath: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` protects all mutable state. Only the thread that updates the registrations changes the array
    // `hops`.

    let name: ForeignKeyPath
    // `root` and this path retain each other until the path has no observers, or its first object is deallocated.
    let root: ForeignSubject
    private let lock = Lock()

    private struct Hop {
        let subject: ForeignSubject
        let number: UInt
        var isPending = true
    }

    /// An observation that may have missed a change, because it began while some objects on the key path were not yet observed.
    ///
    /// As soon as all objects on the key path are observed, the observer gets the present value if the observer wanted an initial call.
    private struct Unsettled: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the field `initial` may hold a value that is not `Sendable`. If the handler has an isolation,
        // the field is used only there.
        let info: ObservationInfo
        var initial: ForeignValue?
    }

    private var hops: [Hop] = []
    private var isFaulty = false
    private var observations = 0
    /// The number of observations that need the new value of a change.
    ///
    /// While it is zero, most changes are delivered without a read of that value.
    private var readers = 0
    private var open: [OpenForeignChange] = []

    private var isArranged = false
    private var requests = 0
    private var metRequests = 0
    private var isBusy = false
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
        if list.isEmpty { root.release(list, name, reservations: 0) }
        // This call comes last, because it may release the last reference to the observed object.
        if info.flags.contains(.retainsSubject) { root.countKeeper(-1) }
    }

    /// Adds `change`, 1 or -1, to the number of observations.
    ///
    /// Returns a request number for `arrange(_:)` if registrations with the other system may have to change; otherwise `nil`.
    private func count(_ info: ObservationInfo, _ change: Int) -> Int? {
        lock.withLock {
            observations += change
            if !info.flags.isDisjoint(with: [.newValue, .comparesValues, .wholeValue]) { readers += change }
            // The path must be registered with the other system (such as Cocoa) exactly while observations exist. A thread that is updating
            // the registrations now may have read the old number of observations. So a new request makes the update run again.
            return !isBusy && (observations > 0) == isArranged ? nil : newRequest()
        }
    }

    /// Numbers a request to update the registrations with the other key-value observing system, such as Cocoa's.
    ///
    /// If the number grows while a thread makes an update, that thread repeats the update. The caller must hold `lock`.
    private func newRequest() -> Int {
        requests += 1
        return requests
    }

    func noteInitial(_ value: ForeignValue?, _ info: ObservationInfo) {
        lock.withLock {
            if let index = unsettled.firstIndex(where: { $0.info === info }) { unsettled[index].initial = value }
        }
    }

    // MARK: Observations that began too early

    /// `true` if this path has all its registrations with the other key-value observing system (such as Cocoa's), and no thread is updating
    /// them.
    ///
    /// The caller must hold `lock`.
    private var isSettled: Bool { !isBusy && !hops.contains { $0.isPending } }

    /// Removes and returns the observations that may have missed a change, once all registrations with the other system are made.
    ///
    /// Until then, the result is empty. The caller must hold `lock`.
    private func takeUnsettled() -> [Unsettled] {
        if !isSettled { return [] }
        defer { unsettled = [] }
        return unsettled
    }

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

    /// Called when another thread has registered a key of the path with the other system, such as Cocoa, under `number`.
    ///
    /// A change before that registration went unnoticed. So this function follows the path again, because the key may lead to another
    /// object now.
    func didRegister(_ number: UInt) {
        let request: Int? = lock.withLock {
            guard let index = hops.firstIndex(where: { $0.number == number }) else { return nil }
            hops[index].isPending = false
            return newRequest()
        }
        if let request { arrange(request) }
    }

    /// Makes the other system (such as Cocoa) observe each object that is now on the path, and no former one.
    ///
    /// Returns `true` if a key of an object on the path cannot be observed.
    private func arrangeHops() -> Bool {
        guard var object = root.object else { return false }
        for (index, key) in name.keys.enumerated() {
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
            // Read the next object after the key is registered. Otherwise a change before the registration would go unnoticed.
            guard let next = Recording.suspended({ root.system.value(of: key, of: object) }) else {
                return disconnect(from: index + 1)
            }
            object = next as AnyObject
        }
        return true
    }

    /// Ends the registrations of all keys of the path from a position on.
    ///
    /// The result is always `false`, so that ``arrangeHops()`` can return the result of this call.
    @discardableResult
    private func disconnect(from index: Int) -> Bool {
        while let hop = lock.withLock({ hops.count > index ? hops.removeLast() : nil }) {
            ForeignRegistrations.remove(hop.number)
            hop.subject.unregister(hop.number)
            abandon(hop.number)
        }
        return false
    }

    /// Returns the present value of the path; `nil` if a key cannot be read.
    func read() -> ForeignValue? {
        guard var object = root.object else { return nil }
        for (index, key) in name.keys.enumerated() {
            let registered = lock.withLock { index < hops.count ? hops[index].subject : nil }
            guard registered?.object === object || root.system.canObserve(key, of: object) else { return nil }
            guard let value = Recording.suspended({ root.system.value(of: key, of: object) }) else { return ForeignValue(value: nil) }
            if index == name.keys.count - 1 { return ForeignValue(value: value) }
            object = value as AnyObject
        }
        return nil
    }

    func presentEvent(of subject: AnyObject, in list: ObserverList, _ read: () -> EventBox?) -> EventBox? {
        let number = list.lastChange
        var event = KeyValueEvent(subject: subject, phase: .after, new: self.read(), old: nil)
        event.header.number = number
        return KeyValueEventBox(event)
    }

    // MARK: Changes

    func take(_ change: ForeignChange, _ number: UInt, at hop: Int) {
        guard let object = root.object, let list = root.list(of: name), list.hook === self,
            let changed = lock.withLock({ hop < hops.count && hops[hop].number == number ? hops[hop].subject : nil }), changed.object != nil
        else { return }
        let isLast = hop == name.keys.count - 1
        if change.isPrior {
            let next = lock.withLock { hop + 1 < hops.count ? hops[hop + 1].subject : nil }
            begin(
                isLast ? change : ForeignChange(kind: .setting, indexes: nil, isPrior: true), number, list, object, next: next?.object)
        } else if var begun = takeOut(number) {
            if !isLast { withExtendedLifetime(begun) { arrange(lock.withLock { newRequest() }) } }
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
            change: change, number: number, limit: delivery.settledLimit, old: wantsOld ? whole : nil,
            shape: .init(change, whole, root.system), next: next, elementsOf: root.system.elements(of:))
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

    /// If one thread has more unfinished changes than this number, the oldest is dropped.
    private static let mostOpen = 64

    private func takeOut(_ number: UInt) -> OpenForeignChange? {
        let me = safekvo_thread()
        return lock.withLock {
            open.lastIndex { $0.number == number && $0.thread == me }.map { open.remove(at: $0) }
        }
    }

    private func abandon(_ number: UInt) {
        let abandoned = lock.withLock { () -> [OpenForeignChange] in
            defer { open.removeAll { $0.number == number } }
            return open.filter { $0.number == number }
        }
        withExtendedLifetime(abandoned) {}
    }

    private func end(_ begun: OpenForeignChange, _ list: ObserverList, _ object: AnyObject) {
        guard var delivery = Delivery(to: Unretained(list), limit: begun.limit, isAnnounced: true, hearsLate: false) else { return }
        // SAFETY: `safekvo_has_batch` only reads a variable of the current thread.
        let isBatch = safekvo_has_batch()
        // Observers that registered after the announcement also get the new value, because their initial call may have had the old one.
        let late = isBatch ? [] : list.lateInfos(after: begun.limit)
        let isRead = isBatch || !late.isEmpty || begun.change.kind != .setting || lock.withLock { readers > 0 }
        let number = delivery.numberChange()
        let new = isRead ? read() : nil
        var event = begun.event(of: object, new: new) {
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
