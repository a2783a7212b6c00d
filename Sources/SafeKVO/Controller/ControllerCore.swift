internal import CSafeKVO
internal import Synchronization

/// The untyped part of an ``ObservationController``, which holds the controller's observations under one lock.
///
/// Each observation is an *info*: one registration with its handler and options. A core and each of its infos retain each other until the
/// info is removed.
@usableFromInline
package final class ControllerCore: ObservationOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables (`var`) of this class. The counters are atomic, and everything else is
    // constant.

    let retainsObserved: Bool
    private let lock = Lock()
    private var isInvalidated = false
    private var pauses = false
    @exclusivity(unchecked) private var observations = ObservationSet()

    /// Calls a closure with the set of observations, under the lock.
    @inline(__always)
    private func withObservations<Result: ~Copyable>(_ body: (inout ObservationSet) -> Result) -> Result {
        // SAFETY: (of the unchecked exclusivity) only this function accesses the set. The lock keeps accesses from overlapping.
        lock.lock()
        defer { lock.unlock() }
        return unsafe body(&observations)
    }

    init(observer: AnyObject, retainsObserved: Bool, isShared: Bool = false, isOfAttachment: Bool = false) {
        self.retainsObserved = retainsObserved
        super.init(observer: observer, isShared: isShared, isOfAttachment: isOfAttachment)
    }

    /// Adds the controller to the table that diagnostics read, if ``ObservationDiagnostics/isRecording`` is `true`.
    ///
    /// Every function that makes a `ControllerCore` must call this function.
    @inline(__always)
    func recordIfAsked() {
        if ObservationDiagnostics.isRecording { ControllerTable.shared.add(self) }
    }

    deinit {
        ObservationBroker.totals.add(counters)
    }

    // MARK: Adding

    /// Returns the reason to refuse a registration, or `nil` if it can be accepted.
    @usableFromInline
    func refusal(of subject: AnyObject, _ registration: borrowing Registration) -> ObservationResult.Refusal? {
        if isBeingDestroyed(subject) { return .objectDeinitialized }
        return isObserverGone ? .observerDeinitialized : registration.refusal
    }

    /// Registers an observation in a list of observers.
    ///
    /// - Parameters:
    ///   - list: The list, which the caller retains.
    ///   - driver: Checks the value for changes. It is `nil` if the value sends change notifications.
    ///   - make: Makes the object that stores the registration and its handler.
    ///   - start: Calls the handler with the present value. It is used only if the registration asks for that call.
    @usableFromInline
    func register(
        _ registration: borrowing Registration, of subject: AnyObject, list: Unretained<ObserverList>, keyPath: AnyKeyPath?,
        driver: PullDriver?,
        make: InfoParts.Maker, start: (ObservationInfo) -> Void
    ) -> ObservationResult {
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        // SAFETY: the caller of this function retains the list until the function returns.
        return unsafe list.with { register(registration, list: $0, keyPath: keyPath, driver: driver, make: make, start: start) }
    }

    private func register(
        _ registration: borrowing Registration, list: ObserverList, keyPath: AnyKeyPath?, driver: PullDriver?, make: InfoParts.Maker,
        start: (ObservationInfo) -> Void
    ) -> ObservationResult {
        var flags = registration.flags
        list.withRecord { record in
            guard retainsObserved, record.subjectIdentity != observerIdentity else { return }
            flags.insert(.retainsSubject)
            record.retainSubject()
        }
        let extras = registration.extras(driver)
        // If another thread ends the observation, it releases `extras`, which is still used below. So retain it.
        defer { withExtendedLifetime(extras) {} }
        let info = make(
            InfoParts(list: list, owner: self, flags: flags, extras: extras, position: registration.position, keyPath: keyPath))

        var mustRenumber = false
        let place = withObservations { observations -> Place in
            if isInvalidated { return .refused }
            // Ignore the waiting events that `pause` returns: a new observation has none.
            if pauses { mustRenumber = list.withRecord { $0.pause(info) }.mustRenumber }
            guard let present = observations.info(list: info.list, tag: registration.tag) else {
                observations.insert(info)
                return .new
            }
            if registration.ifAlreadyObserved == .ignore { return .ignored(present.position) }
            // Mark the old observation as removed under the lock, so that no call of its handler starts once the lock is released.
            _ = present.markRemoved(for: .replaced)
            _ = observations.remove(present)
            observations.insert(info)
            return .insteadOf(present)
        }

        if mustRenumber { list.withRecord { $0.renumber() } }

        switch place {
        case .refused:
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            return registration.refused(.controllerInvalidated)
        case .ignored(let first):
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            counts.ignoredAdds.count()
            if info.isLogged { ObservationDiagnostics.log(.ignored, info) }
            if first != registration.position { warnOfIgnored(registration.position, first, list, driver) }
            return .alreadyObserved
        case .new:
            if info.isLogged { ObservationDiagnostics.log(.added, info) }
            guard link(info, to: list) else { return .added }
            list.didLink(info)
        case .insteadOf(let replaced):
            if info.isLogged { ObservationDiagnostics.log(.replaced, info) }
            let isLinked = link(info, to: list, inPlaceOf: replaced)
            // Report the new observation before the end of the old one, so that the source's count of observations never becomes zero.
            if isLinked { list.didLink(info) }
            replaced.finishRemoval()
            guard isLinked else { return .replaced }
        }
        safekvo_set_last_controller(Unretained(self).word)
        registration.handle?.begin(info)
        list.withRecord { if $0.hasAnnouncements { $0.warnOfOpenAnnouncement(of: list, at: registration.position) } }
        if flags.contains(.initialCall) {
            start(info)
            while let (event, round) = list.record.nextWaiting(for: info) {
                if round == DeliveryFrame.limit { info.reportFeedback() }
                event.withEvent { ObservationBroker.shared.forwardInTurn($0, to: info) { _ in event } }
            }
            // If `resume()` was called during the initial call, it delivered nothing. So deliver the newest value now.
            if InfoState(info.state.load(ordering: .relaxed)).mustHandOver { ObservationBroker.shared.handOver(to: info) }
        }
        guard case .new = place else { return .replaced }
        return .added
    }

    /// Adds an observation to its list of observers.
    ///
    /// If the registration asks for an initial call, later events wait until that call has returned.
    ///
    /// - Returns: `false` if the observation was not added, because another thread has removed it or the observed object is being
    ///   deallocated.
    private func link(_ info: ObservationInfo, to list: ObserverList, inPlaceOf replaced: ObservationInfo? = nil) -> Bool {
        if info.flags.contains(.initialCall) { list.withRecord { $0.beginStart(of: info) } }
        let isLinked = list.link(info, inPlaceOf: replaced)
        // Discard the events that wait for the observation, because it was not added.
        if !isLinked { while list.withRecord({ $0.nextWaiting(for: info) }) != nil {} }
        return isLinked
    }

    /// The result of adding a registration to the controller's set of observations.
    private enum Place {
        case refused
        /// The set already has the observation, which was first registered at this source position.
        case ignored(SourcePosition)
        case new
        case insteadOf(ObservationInfo)
    }

    // MARK: Mistakes

    /// Warns that a registration was ignored, because another source line had already registered the same observation.
    @inline(never)
    private func warnOfIgnored(_ position: SourcePosition, _ first: SourcePosition, _ list: ObserverList, _ driver: PullDriver?) {
        ObservationDiagnostics.warnOnce(
            .ignoredRegistration, at: position,
            """
            `\(driver?.function ?? "observe")(_:\(list.keyPath == nil ? "" : "\\.\(list.name)"))` at \(position) was ignored: `\(observerType)` already \
            observes `\(list.qualifiedName)` (\(first)). Pass `tag:` to keep both or `ifAlreadyObserved: .replace`.
            """)
    }

    /// Warns about a controller that was deallocated at once, because the program did not store it.
    ///
    /// The signs are: it was the last controller that registered on this thread, all its observations come from the source line that made
    /// it, and no change was delivered to them.
    @inline(__always)
    func warnIfUnkept(madeAt position: SourcePosition) {
        if safekvo_last_controller() == Unretained(self).word { examineEnd(madeAt: position) }
    }

    @inline(never)
    private func examineEnd(madeAt position: SourcePosition) {
        safekvo_set_last_controller(0)
        let infos = infos()
        guard let first = infos.first, !isObserverGone else { return }
        for info in infos where info.position != position || info.deliveries > (info.flags.contains(.initialCall) ? 1 : 0) { return }
        let name = first.ifKept { first.withList { $0.qualifiedName } }
        guard let name else { return }
        ObservationDiagnostics.warnOnce(
            .unkeptController, at: position,
            """
            The `ObservationController` that was made at \(position) was deallocated by the same statement, so its observation of `\(name)` has ended. \
            Store the controller for as long as it must observe, usually in a property of `\(observerType)`.
            """)
    }

    // MARK: Removing

    override func forget(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool {
        withObservations { observations in
            // The caller retains `info`, so this does not release its last reference under the lock.
            _ = observations.remove(info)
            return info.markRemoved(for: reason)
        }
    }

    /// Removes the observation with the given tag from a list of observers.
    ///
    /// - Parameters:
    ///   - list: The list of the observers of one key, or `nil` if the key was never observed.
    /// - other: The second list of the same key, which holds the observations that check the value for changes. It is searched if `list`
    ///   has no observation with the tag. If it is `nil`, the function finds the second list itself.
    /// - Returns: The number of removed observations, which is one or zero.
    @usableFromInline
    package func unobserve(list: Unretained<ObserverList>?, or other: Unretained<ObserverList>? = nil, tag: ObservationTag?) -> Int {
        guard let list else { return countIgnoredRemove(0) }
        // Mark the observation as removed under the lock, so that no call of its handler starts once the lock is released.
        let removed = withObservations { $0.remove(list: list, tag: tag) { $0.markRemoved(for: .removed) } }
        guard let removed else {
            // Observations of a value that sends no change notifications are in a second list, so look there, too.
            let pulled = unsafe other ?? list.with { list in list.keyPath.flatMap { list.record.pulledList(spelled: $0) } }
            return pulled == nil || pulled == list ? countIgnoredRemove(0) : unobserve(list: pulled, tag: tag)
        }
        removed.finishRemoval()
        return 1
    }

    /// Removes the observations of an object, or only those for which a closure returns `true`.
    ///
    /// - Parameters:
    ///   - records: The records of the object. A *record* holds observations of one object.
    ///   - isMeant: Returns `true` for an observation to remove. With `nil`, all are removed. It is called while the lock is held.
    /// - Returns: The number of removed observations.
    func unobserve(records: [ObservationRecord], where isMeant: ((ObservationInfo) -> Bool)? = nil) -> Int {
        let removed = withObservations { observations in
            // `records` may contain an element twice. So remove the observations of an element at once, before the next one is searched.
            records.flatMap { record in
                var infos = observations.infos(record: record)
                if let isMeant { infos = infos.filter(isMeant) }
                for info in infos {
                    _ = info.markRemoved(for: .removed)
                    _ = observations.remove(info)
                }
                return infos
            }
        }
        for info in removed { info.finishRemoval() }
        return countIgnoredRemove(removed.count)
    }

    override func endAllHere() {
        // `mayEndHere` may ask an executor of the program, so no lock is held.
        for info in infos() where info.ifKept({ info.mayEndHere }) ?? false { info.end(for: .observerDeinitialized) }
    }

    @usableFromInline
    func unobserveAll() -> Int {
        countIgnoredRemove(removeAll(for: .removed))
    }

    /// Removes all observations, and refuses every later registration.
    @usableFromInline
    func invalidate(for reason: ObservationEndReason) -> Int {
        lock.withLock { isInvalidated = true }
        return removeAll(for: reason)
    }

    private func removeAll(for reason: ObservationEndReason) -> Int {
        var removed = withObservations { observations in
            observations.forEach { _ = $0.markRemoved(for: reason) }
            return observations.removeAll()
        }
        var count = 0
        while let info = removed.next() {
            info.finishRemoval()
            count += 1
        }
        return count
    }

    // MARK: Pausing

    var isPaused: Bool { lock.withLock { pauses } }

    func pause() {
        let paused = withObservations { observations -> [(record: ObservationRecord, released: [EventBox], mustRenumber: Bool)] in
            if pauses { return [] }
            pauses = true
            return observations.infos().map { info in
                info.withList { list in
                    let (released, mustRenumber) = list.record.pause(info)
                    return (list.record, released, mustRenumber)
                }
            }
        }
        for (record, _, mustRenumber) in paused where mustRenumber { record.renumber() }
    }

    /// Resumes all observations, and delivers the newest value to each handler that missed a change meanwhile.
    func resume() {
        let resumed = withObservations { observations -> [(info: ObservationInfo, released: [EventBox])] in
            if !pauses { return [] }
            pauses = false
            return observations.infos().map { info in (info, info.withList { $0.record.resume(info) }) }
        }
        for (info, _) in resumed where InfoState(info.state.load(ordering: .relaxed)).hasMail {
            if let isolation = info.ifKept({ info.isolationElsewhere }) {
                isolation.enqueue { ObservationBroker.shared.handOver(to: info) }
            } else {
                ObservationBroker.shared.handOver(to: info)
            }
        }
    }

    private func countIgnoredRemove(_ removed: Int) -> Int {
        if removed == 0 { counts.ignoredRemoves.count() }
        return removed
    }

    // MARK: Looking up

    /// Returns all observations, with those of one observed object next to each other.
    func infos() -> [ObservationInfo] {
        withObservations { $0.infos() }
    }

    /// Makes diagnostics log what happens to the observations that the controller has now.
    func logFromNowOn() {
        for info in infos() { info.state.bitwiseOr(InfoState.logged, ordering: .relaxed) }
    }

    var counters: ObservationCounters {
        let living = ObservationCounters(delivered: infos().reduce(0) { $0 + $1.deliveries })
        return counts.present + living
    }
}
