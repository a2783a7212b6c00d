internal import CSafeKVO
internal import Synchronization

/// The untyped heart of a controller: the set of its observations, under one lock, and the order in which they come and go.
///
/// ``ObservationController`` is a thin typed shell around it. Infos hold it, and it holds infos, until they are removed.
@usableFromInline
package final class ControllerCore: ObservationOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `observations`, `isInvalidated` and `pauses` belong to `lock`; the counters are atomic; the rest is constant.

    let retainsObserved: Bool
    private let lock = Lock()
    private var isInvalidated = false
    private var pauses = false
    // SAFETY: (of the unchecked exclusivity) only touched under the lock, by functions that call nobody.
    @exclusivity(unchecked) private var observations = ObservationSet()
    private let ignoredAdds = Atomic<UInt64>(0)
    private let ignoredRemoves = Atomic<UInt64>(0)

    init(observer: AnyObject, retainsObserved: Bool, isShared: Bool = false, isOfAttachment: Bool = false) {
        self.retainsObserved = retainsObserved
        super.init(observer: observer, isShared: isShared, isOfAttachment: isOfAttachment)
    }

    /// Remembers the controller, if that is asked for; whoever makes one calls this.
    ///
    /// One relaxed load otherwise: not in `init`, where the call alone would cost more.
    @inline(__always)
    func recordIfAsked() {
        if ObservationDiagnostics.isRecording { Self.record(Unretained(self)) }
    }

    @inline(never)
    private static func record(_ core: Unretained<ControllerCore>) {
        unsafe core.with { ControllerTable.shared.add($0) }
    }

    deinit {
        ObservationBroker.shared.add(counters)
    }

    // MARK: Adding

    /// Why nothing can be registered about this subject now, if so.
    @usableFromInline
    func refusal(of subject: AnyObject, _ registration: borrowing Registration) -> ObservationResult.Refusal? {
        if unsafe Unretained(subject).isBeingDestroyed { return .objectDeinitialized }
        return isObserverGone ? .observerDeinitialized : registration.refusal
    }

    /// Registers an observation of a list; only ``observe(_:_:make:target:)`` calls this.
    ///
    /// - Parameters:
    ///   - registration: What the caller asked for.
    ///   - subject: The object that is observed.
    ///   - list: Where to hang the info in. The caller keeps it, and its subject.
    ///   - keyPath: The key path as it was given, if that is how.
    ///   - driver: What reads the value, if that does not announce its changes.
    ///   - make: Makes the info.
    ///   - start: Makes the initial call, if one was asked for.
    /// - Returns: what came of it.
    @usableFromInline
    func register(
        _ registration: borrowing Registration, of subject: AnyObject, list: Unretained<ObserverList>, keyPath: AnyKeyPath?,
        driver: PullDriver?,
        make: InfoParts.Maker, start: (ObservationInfo) -> Void
    ) -> ObservationResult {
        if let refusal = refusal(of: subject, registration) { return registration.refused(refusal) }
        // SAFETY: the target keeps the list.
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
        // Another thread may end the observation, which then releases them, while this one still uses them.
        defer { withExtendedLifetime(extras) {} }
        let info = make(
            InfoParts(list: list, owner: self, flags: flags, extras: extras, position: registration.position, keyPath: keyPath))

        var mustRenumber = false
        let place = lock.withLock { () -> Place in
            if isInvalidated { return .none(.refused(.controllerInvalidated)) }
            // Nothing waits for it yet.
            if pauses { mustRenumber = list.withRecord { $0.pause(info) }.mustRenumber }
            guard let present = unsafe observations.entry(list: info.list, tag: registration.tag) else {
                unsafe observations.insert(info)
                return .new
            }
            if registration.ifAlreadyObserved == .ignore { return .ignored(unsafe present.with { $0.position }) }
            let replaced = unsafe present.object
            // Marked inside the lock, as for any removal: once it is out of the set, no call to it starts.
            _ = replaced.markRemoved(for: .replaced)
            let reference = unsafe observations.remove(replaced)
            unsafe observations.insert(info)
            return .insteadOf(replaced, reference)
        }

        if mustRenumber { list.withRecord { $0.renumber() } }

        switch place {
        case .none(let result):
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            if info.isLogged { log(result, info) }
            return result
        case .ignored(let first):
            if flags.contains(.retainsSubject) { list.withRecord { $0.releaseSubject() } }
            ignoredAdds.wrappingAdd(1, ordering: .relaxed)
            if info.isLogged { log(.alreadyObserved, info) }
            if first != registration.position { warnOfIgnored(registration.position, first, list, driver) }
            return .alreadyObserved
        case .new:
            if info.isLogged { ObservationDiagnostics.log(.added, info) }
            guard link(info, to: list) else { return .added }
            list.didLink(info)
        case .insteadOf(let replaced, let reference):
            if info.isLogged { ObservationDiagnostics.log(.replaced, info) }
            let isLinked = link(info, to: list, inPlaceOf: replaced)
            // A source hears of the new info before it hears that the old one has gone.
            if isLinked { list.didLink(info) }
            replaced.finishRemoval()
            // SAFETY: the set's reference, handed over when it gave the info up.
            unsafe reference?.release()
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
            // Resumed during the initial call, by a thread that could not hand over the value that the pause had left out.
            if InfoState(info.state.load(ordering: .relaxed)).mustHandOver { ObservationBroker.shared.handOver(to: info) }
        }
        guard case .new = place else { return .replaced }
        return .added
    }

    /// Hangs an info into its list, with its start begun if it has one.
    private func link(_ info: ObservationInfo, to list: ObserverList, inPlaceOf replaced: ObservationInfo? = nil) -> Bool {
        if info.flags.contains(.initialCall) { list.withRecord { $0.beginStart(of: info) } }
        let isLinked = list.link(info, inPlaceOf: replaced)
        // Removed meanwhile: nothing is left to wait for.
        if !isLinked { while list.withRecord({ $0.nextWaiting(for: info) }) != nil {} }
        return isLinked
    }

    /// Logs that nothing came of a registration.
    private func log(_ result: ObservationResult, _ info: ObservationInfo) {
        switch result {
        case .alreadyObserved: ObservationDiagnostics.log(.ignored, info)
        case .refused(let refusal): ObservationDiagnostics.log(refusal, at: info.position)
        case .added, .replaced: break
        }
    }

    private enum Place {
        case none(ObservationResult)
        /// There is one already, which was registered there.
        case ignored(SourcePosition)
        case new
        case insteadOf(ObservationInfo, Unretained<ObservationInfo>?)
    }

    // MARK: Mistakes

    /// Reports a registration that was ignored because another line has registered the same.
    @inline(never)
    private func warnOfIgnored(_ position: SourcePosition, _ first: SourcePosition, _ list: ObserverList, _ driver: PullDriver?) {
        ObservationDiagnostics.warnOnce(
            .ignoredRegistration, at: position,
            """
            `\(driver?.function ?? "observe")(_:\(list.keyPath == nil ? "" : "\\.\(list.name)"))` at \(position) was ignored: `\(observerType)` already \
            observes `\(list.qualifiedName)` (\(first)). Pass `tag:` to keep both or `ifAlreadyObserved: .replace`.
            """)
    }

    /// Reports that the controller is being deallocated by the statement that made it and registered with it.
    ///
    /// Known of it is: nothing else was registered on this thread since, everything that it observes was registered on the line on which it was made,
    /// and no change was delivered. A controller that is kept, even until the end of a scope only, is made on a line of its own.
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
        let (reference, isRemoved) = lock.withLock {
            (unsafe observations.remove(info), info.markRemoved(for: reason))
        }
        // SAFETY: the set's reference, handed over when it gave the info up. The caller holds another.
        unsafe reference?.release()
        return isRemoved
    }

    /// Removes the observation of a list under a tag.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - other: Another list of the same key, for what does not announce its changes.
    ///   - tag: The tag.
    /// - Returns: how many observations were removed: one or none.
    @usableFromInline
    package func unobserve(list: Unretained<ObserverList>?, or other: Unretained<ObserverList>? = nil, tag: ObservationTag?) -> Int {
        guard let list else { return countIgnoredRemove(0) }
        let removed = lock.withLock { () -> Unretained<ObservationInfo>? in
            guard let entry = unsafe observations.entry(list: list, tag: tag) else { return nil }
            // Marked inside the lock: when the set no longer has an info, no call to it starts.
            return unsafe entry.with { $0.markRemoved(for: .removed) ? unsafe observations.remove($0) : nil }
        }
        guard let removed else {
            // What is looked at because it does not announce its changes has a list of its own.
            let pulled = unsafe other ?? list.with { list in list.keyPath.flatMap { list.record.pulledList(spelled: $0) } }
            return pulled == nil || pulled == list ? countIgnoredRemove(0) : unobserve(list: pulled, tag: tag)
        }
        finish(removed)
        return 1
    }

    /// Ends an info that was marked and taken out of the set.
    private func finish(_ removed: Unretained<ObservationInfo>) {
        unsafe removed.with { $0.finishRemoval() }
        // SAFETY: the set's reference, handed over when it gave the info up.
        unsafe removed.release()
    }

    /// Removes the observations of a subject, or those of them that the caller picks, under the lock.
    ///
    /// - Parameters:
    ///   - records: The records of the subject.
    ///   - isMeant: Picks the observations; nil for all of them.
    /// - Returns: how many observations were removed.
    func unobserve(records: [ObservationRecord], where isMeant: ((ObservationInfo) -> Bool)? = nil) -> Int {
        let removed = lock.withLock {
            // One record may be there twice, so what was found is removed before the next is looked at.
            records.flatMap { record in
                var entries = unsafe observations.entries(record: record)
                if let isMeant { entries = entries.filter { unsafe $0.with(isMeant) } }
                for entry in entries {
                    unsafe entry.with { info in
                        // What is in the set is not marked yet: both happen under the lock.
                        _ = info.markRemoved(for: .removed)
                        _ = unsafe observations.remove(info)
                    }
                }
                return entries
            }
        }
        for entry in removed { finish(entry) }
        return countIgnoredRemove(removed.count)
    }

    /// Removes all observations.
    @usableFromInline
    func unobserveAll() -> Int {
        countIgnoredRemove(removeAll(for: .removed))
    }

    /// Removes all observations and refuses new ones from now on.
    @usableFromInline
    func invalidate(for reason: ObservationEndReason) -> Int {
        lock.withLock { isInvalidated = true }
        return removeAll(for: reason)
    }

    private func removeAll(for reason: ObservationEndReason) -> Int {
        var next = lock.withLock {
            let first = unsafe observations.removeAll()
            var next = first
            while let entry = next {
                next = unsafe entry.with { info in
                    // What is in the set is not marked yet: both happen under the lock.
                    _ = info.markRemoved(for: reason)
                    return info.nextOfOwner
                }
            }
            return first
        }
        var count = 0
        // SAFETY: the chain is this thread's now; whoever else ends an info looks for it in the set.
        while let entry = next {
            next = unsafe entry.with { $0.nextOfOwner }
            finish(entry)
            count += 1
        }
        return count
    }

    // MARK: Pausing

    /// `true` while no observer is called.
    var isPaused: Bool { lock.withLock { pauses } }

    /// Leaves out calls from now on.
    func pause() {
        let paused = lock.withLock { () -> [(record: ObservationRecord, released: [EventBox], mustRenumber: Bool)] in
            if pauses { return [] }
            pauses = true
            return unsafe observations.entries().map { entry in
                unsafe entry.with { info in
                    info.withList { list in
                        let (released, mustRenumber) = list.record.pause(info)
                        return (list.record, released, mustRenumber)
                    }
                }
            }
        }
        for (record, _, mustRenumber) in paused where mustRenumber { record.renumber() }
    }

    /// Makes calls again, and hands over the values that wait.
    func resume() {
        let resumed = lock.withLock { () -> [(info: ObservationInfo, released: [EventBox])] in
            if !pauses { return [] }
            pauses = false
            return unsafe observations.entries().map { entry in
                let info = unsafe entry.object
                return (info, info.withList { $0.record.resume(info) })
            }
        }
        for (info, _) in resumed where InfoState(info.state.load(ordering: .relaxed)).hasMail {
            if let isolation = info.ifKept({ info.isolationElsewhere }) {
                isolation.enqueue { ObservationBroker.shared.handOver(to: info) }
            } else {
                ObservationBroker.shared.handOver(to: info)
            }
        }
    }

    /// Counts a request that removed nothing.
    private func countIgnoredRemove(_ removed: Int) -> Int {
        if removed == 0 { ignoredRemoves.wrappingAdd(1, ordering: .relaxed) }
        return removed
    }

    // MARK: Looking

    /// The observations there are now, those of a subject together.
    func infos() -> [ObservationInfo] {
        lock.withLock { unsafe observations.entries().map { unsafe $0.object } }
    }

    /// Logs what becomes of the observations that there are now.
    func logFromNowOn() {
        for info in infos() { info.state.bitwiseOr(InfoState.logged, ordering: .relaxed) }
    }

    var counters: ObservationCounters {
        let living = infos().reduce(0) { $0 + $1.deliveries }
        return ObservationCounters(
            delivered: retiredDeliveryCount + living, dropped: droppedCount, wrongIsolation: wrongIsolationCount, overtaken: overtakenCount,
            ignoredAdds: ignoredAdds.load(ordering: .relaxed), ignoredRemoves: ignoredRemoves.load(ordering: .relaxed))
    }
}
