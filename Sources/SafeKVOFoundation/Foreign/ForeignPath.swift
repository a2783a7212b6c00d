internal import CSafeKVO
internal import SafeKVO

/// An observed key path of a foreign object, with one registration for each key of the path.
///
/// A *foreign* object belongs to another key-value observing system, such as Cocoa's KVO. That system could register the whole
/// path at once. But to end such a registration it reads the objects on the path, and it raises an exception if one of them
/// cannot be observed. This must not happen, least of all while an object is being deallocated. So each key is registered
/// separately, at the object that has it now.
final class ForeignPath: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) All mutable state is protected by `lock`. In addition, only the thread that updates the
    // registrations adds and removes `hops`.

    let name: ForeignKeyPath
    // The stand-in for the root object. The stand-in and this path retain each other until the last observer of the path is
    // removed or the root object is deallocated.
    let root: ForeignSubject
    private let lock = Lock()

    /// A registration for one key of the path, at one object.
    private struct Hop {
        let subject: ForeignSubject
        let number: UInt
        /// `true` until the foreign KVO system has made the registration.
        var isPending = true
    }

    /// An observation that began before the foreign KVO system had made all registrations for the path.
    private struct Unsettled: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) The value is compared in the isolation in which it was read. If the handler has an
        // isolation, it is that one.
        let info: ObservationInfo
        /// The present value that the observation got when it began; `nil` if it got none.
        var initial: ForeignValue?
    }

    /// The registrations with the foreign KVO system, one for each key, from the first key on.
    private var hops: [Hop] = []
    /// `true` if the path ends early at an object whose key cannot be observed; `false` if it ends early at `nil`.
    private var isFaulty = false
    /// The number of observations of this path.
    private var observations = 0
    /// The number of observations that need the value after a change.
    private var readers = 0
    /// The changes that were announced and are not yet completed.
    private var open: [OpenForeignChange] = []

    /// `true` if the path had observers when the registrations were last updated.
    private var isArranged = false
    /// The number of requests to update the registrations, and the number of fulfilled requests.
    private var requests = 0
    private var metRequests = 0
    /// `true` while a thread updates the registrations with the foreign KVO system.
    private var isBusy = false
    /// The observations that get the present value once the foreign KVO system has made all registrations for the path.
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
        // This comes last, because it may release the last reference to the object.
        if info.flags.contains(.retainsSubject) { root.countKeeper(-1) }
    }

    /// Counts an added or removed observation, and returns the number of a request if the registrations must be updated.
    private func count(_ info: ObservationInfo, _ change: Int) -> Int? {
        lock.withLock {
            observations += change
            if !info.flags.isDisjoint(with: [.newValue, .comparesValues, .wholeValue]) { readers += change }
            // While another thread updates the registrations, it may already have read the count. So a new request is made in
            // that case too.
            if !isBusy, (observations > 0) == isArranged { return nil }
            requests += 1
            return requests
        }
    }

    /// Stores the present value that an observation got when it began.
    func noteInitial(_ value: ForeignValue?, _ info: ObservationInfo) {
        lock.withLock {
            if let index = unsettled.firstIndex(where: { $0.info === info }) { unsettled[index].initial = value }
        }
    }

    // MARK: Observations that began too early

    /// `true` if no thread updates the registrations and the foreign KVO system has made all of them.
    ///
    /// The caller holds the lock.
    private var isSettled: Bool { !isBusy && !hops.contains { $0.isPending } }

    /// Removes and returns the observations that wait until all registrations are made, if they are.
    ///
    /// The caller holds the lock.
    private func takeUnsettled() -> [Unsettled] {
        if !isSettled { return [] }
        defer { unsettled = [] }
        return unsettled
    }

    /// Delivers the present value to observations that began before the foreign KVO system had made all registrations.
    ///
    /// A change could go unnoticed until then, and leave these observations with an old value. A handler that belongs to an
    /// actor's isolation is called there, one hop later.
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

    /// Reports a warning if the path cannot be observed.
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

    /// Registers each key at the object that has it now, or ends all registrations if there are no observers.
    ///
    /// One thread at a time does this. Requests by other threads, and by getters that this thread calls, are left to that
    /// thread. No thread waits for it, because a getter of the program may take a long time.
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

    /// Notes that another thread has made a registration that was left to it.
    ///
    /// The next object on the path was read before that, and may have been replaced in between. So the registrations are
    /// updated again.
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

    /// Makes the missing registrations and ends the outdated ones, from the first key on.
    ///
    /// - Returns: `true` if the path ends at an object whose key cannot be observed.
    private func arrangeHops() -> Bool {
        guard var object = root.object else { return false }
        for (index, key) in name.keys.enumerated() {
            // Only the thread that updates the registrations adds and removes them. So this one stays valid outside the lock.
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
            // The next object is read after the registration. So a change after this read leads to a new request.
            guard let next = Recording.suspended({ root.system.value(of: key, of: object) }) else {
                return disconnect(from: index + 1)
            }
            object = next as AnyObject
        }
        return true
    }

    /// Ends the registrations from an index on.
    ///
    /// - Returns: Always `false`, which is the new value of `isFaulty`.
    @discardableResult
    private func disconnect(from index: Int) -> Bool {
        while let hop = lock.withLock({ hops.count > index ? hops.removeLast() : nil }) {
            ForeignRegistrations.remove(hop.number)
            hop.subject.unregister(hop.number)
            abandon(where: { $0.number == hop.number })
        }
        return false
    }

    /// Returns the present value of the path; `nil` if it cannot be read.
    ///
    /// It follows the path from the root object. The registrations may belong to replaced objects while another thread updates
    /// them.
    func read() -> ForeignValue? {
        guard var object = root.object else { return nil }
        for (index, key) in name.keys.enumerated() {
            let registered = lock.withLock { index < hops.count ? hops[index].subject : nil }
            // A registered key was checked before it was registered. Any other key is checked here.
            guard registered?.object === object || root.system.canObserve(key, of: object) else { return nil }
            guard let value = Recording.suspended({ root.system.value(of: key, of: object) }) else { return ForeignValue(value: nil) }
            if index == name.keys.count - 1 { return ForeignValue(value: value) }
            object = value as AnyObject
        }
        return nil
    }

    // MARK: Changes

    /// Handles a notification of the foreign KVO system about a change of one key.
    func take(_ change: ForeignChange, _ number: UInt, at hop: Int) {
        // The change is ignored if the changed object or the root object is being deallocated.
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

    /// The greatest number of announced and uncompleted changes of one thread.
    ///
    /// A manual announcement may never be completed. So the oldest one is dropped when there are more.
    private static let mostOpen = 64

    /// Removes and returns the last change that this thread has announced and not completed for a registration; `nil` if there
    /// is none.
    private func takeOut(_ number: UInt) -> OpenForeignChange? {
        let me = safekvo_thread()
        return lock.withLock {
            open.lastIndex { $0.number == number && $0.thread == me }.map { open.remove(at: $0) }
        }
    }

    /// Drops announced changes that will not be completed.
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
        // SAFETY: The call only reads state of the current thread.
        let isBatch = safekvo_has_batch()
        // These observers registered on another thread after the announcement. Their initial value may be the old one, so they
        // get the new value too.
        let late = isBatch ? [] : list.lateInfos(after: begun.limit)
        let isRead = isBatch || !late.isEmpty || begun.change.kind != .setting || lock.withLock { readers > 0 }
        let number = delivery.numberChange()
        let new = isRead ? read() : nil
        var event = begun.event(of: object, new: new) {
            // The library does not know the source line of the announcement. The line of an observer helps to find it.
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
