internal import CSafeKVO
internal import Synchronization

/// The untyped part of an ``ObservationController``, which stores the controller's observations under one lock.
///
/// The core and each of its observations (``ObservationInfo``) retain each other until the observation is removed.
@usableFromInline
package final class ControllerCore: ObservationOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables (`var`) of this class. The counters are atomic, and everything else is
    // constant.

    package let retainsObserved: Bool
    private var isInvalidated = false
    private var pauses = false
    private let lock = Lock()
    @exclusivity(unchecked) private var observations = ObservationSet()

    /// Calls a closure with the set of observations, under the lock.
    @inline(__always)
    private func withObservations<Result: ~Copyable>(_ body: (inout ObservationSet) -> Result) -> Result {
        // SAFETY: (of the unchecked exclusivity) only this function accesses the set. The lock keeps accesses from overlapping.
        lock.lock()
        defer { lock.unlock() }
        return unsafe body(&observations)
    }

    /// Calls a closure with the set of observations, under the lock, for a call of the controller, and lets go of the holds in the set.
    @inline(__always)
    private func inCall<Result: ~Copyable>(_ body: (inout ObservationSet) -> Result) -> Result {
        var holds = WaitingHolds()
        let result = withObservations { observations in
            holds = observations.takeHolds()
            return body(&observations)
        }
        holds.letGo()
        return result
    }

    package init(observer: AnyObject, retainsObserved: Bool, isOfAttachment: Bool = false) {
        self.retainsObserved = retainsObserved
        super.init(observer: observer, isOfAttachment: isOfAttachment)
    }

    /// Adds this controller to the list of controllers that diagnostics show, if the program has asked for that list.
    ///
    /// Every function that makes a `ControllerCore` must call this function.
    @inline(__always)
    package func recordIfAsked() {
        if DiagnosticsHook.recordsControllers { DiagnosticsHook.shared.object?.didMakeController(self) }
    }

    deinit {
        ObservationBroker.totals.add(counters)
    }

    // MARK: Adding

    /// Returns the reason why a registration is refused, or `nil` if it may be allowed; a refused one is a call of the controller, too.
    @usableFromInline
    func refusal(of subject: AnyObject, _ registration: borrowing Registration) -> ObservationResult.Refusal? {
        let isObjectGone = isBeingDestroyed(subject)
        let refusal = isObjectGone ? .objectDeinitialized : isObserverGone ? .observerDeinitialized : registration.refusal
        if refusal != nil { letGo() }
        return refusal
    }

    /// Lets go of the holds in the set, by a call of the controller that looks at nothing else there.
    private func letGo() { inCall { _ in } }

    /// Registers a new observation of `subject` in `list`, which has the observers of one property or event source.
    ///
    /// The caller must retain `list` during the call. A value that does not report its changes needs a `driver`, which checks the value,
    /// for example by polling.
    @usableFromInline
    func register(
        _ registration: borrowing Registration, of subject: AnyObject, list: Unretained<ObserverList>, keyPath: AnyKeyPath?,
        driver: ObservationDriver?,
        make: InfoParts.Maker, start: (ObservationInfo) -> Void
    ) -> ObservationResult {
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal, of: subject) }
        // SAFETY: the caller of this function retains the list until the function returns.
        return unsafe list.with { register(registration, list: $0, keyPath: keyPath, driver: driver, make: make, start: start) }
    }

    private func register(
        _ registration: borrowing Registration, list: ObserverList, keyPath: AnyKeyPath?, driver: ObservationDriver?, make: InfoParts.Maker,
        start: (ObservationInfo) -> Void
    ) -> ObservationResult {
        if let refusal = registration.refusal(of: list) {
            letGo()
            return registration.refused(refusal, in: list)
        }
        var flags = registration.flags
        list.withRecord { record in
            guard retainsObserved, record.subjectIdentity != observerIdentity else { return }
            flags.insert(.retainsSubject)
            record.retainSubject()
        }
        let extras = registration.extras(driver)
        // Without this, another thread that ends the observation could release `extras` too early.
        defer { withExtendedLifetime(extras) {} }
        let info = make(
            InfoParts(list: list, owner: self, flags: flags, extras: extras, position: registration.position, keyPath: keyPath))

        let place = inCall { observations -> Place in
            if isInvalidated { return .refused }
            if pauses { list.withRecord { $0.pause(info) } }
            guard let present = observations.info(list: info.list, tag: registration.tag) else {
                observations.insert(info)
                return .new
            }
            if !present.isOver, registration.ifAlreadyObserved == .ignore { return .ignored(present.position) }
            // Mark the old observation as removed while the lock is held, so that no call of its handler starts later. If another thread has
            // ended it, only its hold is left to this controller.
            let isReplaced = present.markRemoved(for: .replaced)
            _ = observations.remove(present)
            observations.insert(info)
            return isReplaced ? .insteadOf(present) : .afterEndOf(present)
        }

        SchedulePoint.pass(.beforeRegistration)
        // Another thread may end the observation from now on, and then gives this back.
        if place.isEntry { driver?.observationDidBegin() }
        switch place {
        case .refused:
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            return registration.refused(.controllerInvalidated, in: list)
        case .ignored(let first):
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            counts.seldom.ignoredAdds.count()
            if info.isLogged { DiagnosticsHook.log(.ignored, info) }
            if first != registration.position { warnOfIgnored(registration, first, list) }
            return .alreadyObserved
        case .new, .afterEndOf:
            if case .afterEndOf(let ended) = place { ended.finishRemoval() }
            if info.isLogged { DiagnosticsHook.log(.added, info) }
            guard list.link(info) else {
                // The object's deallocation may have begun on another thread.
                info.end(for: .objectDeinitialized, by: .region)
                return .added
            }
        case .insteadOf(let replaced):
            if info.isLogged { DiagnosticsHook.log(.replaced, info) }
            // Report the new observation before the end of the old one. Otherwise a source that counts its observations would reach zero.
            let isLinked = list.link(info, inPlaceOf: replaced)
            replaced.finishRemoval()
            guard isLinked else { return .replaced }
        }
        safekvo_set_last_controller(Unretained(self).word)
        registration.handle?.begin(info)
        list.withRecord { record in
            if !record.hasAnnouncements { return }
            for open in record.openAnnouncements { open.observerDidRegister(in: list, of: record, at: registration.position) }
        }
        if flags.contains(.initialCall) {
            start(info)
            SchedulePoint.pass(.beforeEndOfStart)
            var round = 0
            while !list.withRecord({ $0.endStart(of: info) }) {
                round += 1
                if round == DeliveryFrame.limit { info.reportFeedback() }
                DeliveryFrame.run(alone: info) { _ in ObservationBroker.shared.deliverWaiting(to: info) }
            }
            // A change or a `resume()` may have left a mark just before.
            if InfoState(info.state.load(ordering: .relaxed)).mustHandOver { ObservationBroker.shared.handOver(to: info) }
        }
        guard case .insteadOf = place else { return .added }
        return .replaced
    }

    private enum Place {
        case refused
        /// The source position of the earlier registration.
        case ignored(SourcePosition)
        case new
        /// The same as `new`, but for an observation that another thread has ended.
        case afterEndOf(ObservationInfo)
        case insteadOf(ObservationInfo)

        var isEntry: Bool {
            switch self {
            case .refused, .ignored: false
            case .new, .afterEndOf, .insteadOf: true
            }
        }
    }

    // MARK: Removing

    override func forget(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool {
        withObservations { observations in
            guard info.markRemoved(for: reason) else { return false }
            // The caller retains `info`. So this removal cannot run a `deinit` of the program while the lock is held.
            _ = observations.remove(info)
            return true
        }
    }

    override func remove(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool { remove(for: reason) { $0.remove(info) } }

    /// Ends the observation that a closure takes out of the set; returns `false` if there is none, or if it was removed before.
    @inline(__always)
    private func remove(for reason: ObservationEndReason, _ take: (inout ObservationSet) -> ObservationInfo?) -> Bool {
        var isFirst = false
        let removed = inCall { observations in
            let removed = take(&observations)
            // Mark the observation as removed under the lock, so that no call of its handler starts once the lock is released.
            isFirst = removed?.markRemoved(for: reason) ?? false
            return removed
        }
        removed?.finishRemoval()
        return isFirst
    }

    override func drop(_ info: ObservationInfo) { _ = withObservations { $0.remove(info) } }

    override func keepHold(of info: ObservationInfo) { _ = withObservations { $0.replaceByHold(info) } }

    /// Removes the observation with the given tag, and returns 1, or 0 if there is none.
    @usableFromInline
    package func unobserve(list: Unretained<ObserverList>?, tag: ObservationTag?) -> Int {
        if let list, remove(list: list, tag: tag) { return 1 }
        letGo()
        return countIgnoredRemove(0)
    }

    /// Removes the observation with the given tag; returns `false` if there is none.
    @usableFromInline
    func remove(list: Unretained<ObserverList>, tag: ObservationTag?) -> Bool {
        remove(for: .removed) { $0.remove(list: list, tag: tag) }
    }

    /// Removes those observations of an object for which `isMeant` returns `true`, or all if `isMeant` is `nil`.
    ///
    /// `isMeant` is called while the lock is held.
    func unobserve(records: [ObservationRecord], where isMeant: ((ObservationInfo) -> Bool)? = nil) -> Int {
        var count = 0
        let removed = inCall { observations in
            // The same record may occur twice in `records`. So remove its observations from the controller's set in the first pass.
            // Otherwise the second pass would find and return them again.
            records.flatMap { record in
                var infos = observations.infos(record: record)
                if let isMeant { infos = infos.filter(isMeant) }
                for info in infos {
                    if info.markRemoved(for: .removed) { count += 1 }
                    _ = observations.remove(info)
                }
                return infos
            }
        }
        for info in removed { info.finishRemoval() }
        return countIgnoredRemove(count)
    }

    override func endAllHere() {
        // Hold no lock here: `mayEndHere` may call an executor, which is code of the program.
        for info in infos() where info.mayEndHere { info.end(for: .observerDeinitialized) }
    }

    @usableFromInline
    package func unobserveAll() -> Int {
        countIgnoredRemove(removeAll(for: .removed))
    }

    @usableFromInline
    @inline(never)
    func invalidate(for reason: ObservationEndReason) -> Int {
        lock.withLock { isInvalidated = true }
        return removeAll(for: reason)
    }

    @inline(never)
    private func removeAll(for reason: ObservationEndReason) -> Int {
        var count = 0
        var removed = inCall { observations in
            observations.forEach { if $0.markRemoved(for: reason) { count += 1 } }
            return observations.removeAll()
        }
        while let info = removed.next() { info.finishRemoval() }
        return count
    }

    // MARK: Pausing

    var isPaused: Bool { lock.withLock { pauses } }

    func pause() {
        inCall { observations in
            if pauses { return }
            pauses = true
            observations.forEach { info in info.withList { $0.withRecord { $0.pause(info) } } }
        }
    }

    func resume() {
        let marked = inCall { observations in
            pauses = false
            return observations.infos().filter { $0.resume() }
        }
        for info in marked { ObservationBroker.shared.handOver(to: info) }
    }

    private func countIgnoredRemove(_ removed: Int) -> Int {
        if removed == 0 { counts.seldom.ignoredRemoves.count() }
        return removed
    }

    // MARK: Looking up

    /// The number of ended observations whose handlers wait for a call of the controller.
    package var holdCount: Int { withObservations { $0.holdCount } }

    func observes(_ list: ObserverList, _ tag: ObservationTag?) -> Bool {
        withObservations { $0.info(list: Unretained(list), tag: tag) } != nil
    }

    func infos() -> [ObservationInfo] {
        withObservations { $0.infos() }
    }

    package func logFromNowOn() {
        for info in infos() { info.state.bitwiseOr(InfoState.logged, ordering: .relaxed) }
    }

    package var counters: ObservationCounters {
        let living = ObservationCounters(delivered: infos().reduce(0) { $0 + $1.deliveries })
        return counts.present + living
    }
}
