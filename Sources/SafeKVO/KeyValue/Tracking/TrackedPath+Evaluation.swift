internal import CSafeKVO
internal import Synchronization

/// Evaluates the key path, and follows the properties that it reads.
extension TrackedPath {
    /// Returns `true` if the evaluation with the serial number `ticket` is still the newest one.
    func isCurrent(_ ticket: UInt64) -> Bool {
        withState { $0.table.lastTicket == ticket }
    }

    /// Begins an evaluation of the key path, which the caller ends with ``finish(_:of:)``.
    ///
    /// - Parameters:
    ///   - record: The observed object's record, to count one more observer, as ``activate(_:)`` does; nil to count none.
    ///   - isThorough: `true` to record every read. Otherwise, reads are recorded only from the first that differs from the previous
    ///     evaluation.
    /// - Returns: The object that records which properties the getters read.
    @usableFromInline
    func begin(activating record: ObservationRecord? = nil, isThorough: Bool = false) -> DependencyRecorder {
        withState { state in
            if let record { countActivation(record, &state) }
            return makeRecorder(isThorough: isThorough, &state)
        }
    }

    func beginIfPossible() -> DependencyRecorder? { withState { canEvaluate(&$0) ? makeRecorder(&$0) : nil } }

    /// Returns `true` if the key path is observed, this thread is not already evaluating it, and no dependency is being mutated in place.
    func canEvaluate(_ state: inout PathState) -> Bool {
        state.isActive && !state.table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen(&state)
    }

    /// Begins an evaluation, and returns the object that records which properties the getters read.
    ///
    /// If `isThorough` is `true`, every read is recorded, even if the previous evaluation made the same reads. Pass `isLast: true` for a
    /// repetition, so that a getter that sets a property it reads is not repeated endlessly.
    func makeRecorder(isThorough: Bool = false, isLast: Bool = false, _ state: inout PathState) -> DependencyRecorder {
        let recorder = state.spareRecorder.take() ?? DependencyRecorder(self)
        recorder.begin(
            state.table.begin(on: safekvo_thread(), counts: state.isActive), expecting: isThorough ? [] : state.table.trace,
            isLast: isLast)
        state.isStale = false
        state.waiting = .nothing
        return recorder
    }

    /// Begins to repeat an evaluation that may have missed a change, and returns the recorder.
    ///
    /// The repetition records every read, because another thread may have removed dependencies that the first attempt relied on.
    @usableFromInline
    func beginThoroughly() -> DependencyRecorder { withState { makeRecorder(isThorough: true, isLast: true, &$0) } }

    /// Begins a read of the value that leaves the dependencies as they are; ``endLooking()`` ends it.
    ///
    /// Meanwhile, a change that a getter makes on this thread causes no new evaluation.
    @usableFromInline
    func beginLooking() { withState { $0.table.beginLooking(on: safekvo_thread()) } }

    @usableFromInline
    func endLooking() {
        withState {
            $0.table.endLooking(on: safekvo_thread())
            _ = $0.table.wasDisturbed(on: safekvo_thread())
        }
    }

    /// Ends an evaluation, and drops the dependencies that are no longer read.
    ///
    /// Returns `false` if the evaluation must be repeated, because it may have missed a change.
    @usableFromInline
    func finish(_ recorder: DependencyRecorder, of root: AnyObject) -> Bool {
        if !declared.isEmpty { recorder.record { followDeclared(root, recorder) } }
        let canBeChain = recorder.isChained && declared.isEmpty
        let (passed, reads) = (recorder.passed, recorder.unexpectedReads())
        // An evaluation is repeated if a getter sets a property that the key path reads. A getter that always does so would be evaluated
        // endlessly, so the result of the repetition (`isLast`) is accepted.
        let mustDo = recorder.isLast
        let isDoubtful = recorder.isDoubtful
        let thread = safekvo_thread()
        let (dropped, isDisturbed, isMoved) = withState { state in
            let dropped = state.table.install(reads, recorder.start, on: thread, canBeChain: canBeChain)
            let isMoved = passed == .nothing && state.noteGap(at: recorder.gap)
            if state.table.notePassed(passed, recorder.start) || reads != nil { updateInterests(&state) }
            if state.spareRecorder == nil { state.spareRecorder = recorder }
            return (dropped, state.table.wasDisturbed(on: thread), isMoved)
        }
        if isMoved { moveGap() }
        guard let dropped else { return false }
        drop(dropped)
        return !isDoubtful && (mustDo || !isDisturbed)
    }

    /// Ends the first evaluation, and stores the components of the key path.
    ///
    /// Returns `false` if the evaluation must be repeated, because it may have missed a change.
    func finish(_ recorder: DependencyRecorder, of root: AnyObject, chain: [UInt]) -> Bool {
        let isSound = finish(recorder, of: root)
        withState { state in
            state.table.recognise(declared.isEmpty ? chain : [])
            updateInterests(&state)
        }
        return isSound
    }

    private func drop(_ dropped: [Dependency]) {
        if dropped.isEmpty { return }
        // Forget changes in progress of the removed dependencies, because the ends of these changes are no longer reported.
        let over = withState { state in
            let over = state.openChanges.filter { open in dropped.contains { $0.info.list.word == open.dependency } }
            state.openChanges.removeAll { open in dropped.contains { $0.info.list.word == open.dependency } }
            return over
        }
        for dependency in dropped { dependency.end() }
        _ = consume over
    }

    // MARK: Following

    /// Follows the key paths that `keyPathsForValuesAffectingValue(for:)` declares, and all properties that their getters read.
    private func followDeclared(_ root: AnyObject, _ recorder: DependencyRecorder) {
        for keyPath in declared {
            recorder.noteNextDeclared()
            _ = (root as Any)[keyPath: keyPath]
        }
        recorder.noteNextDeclared()
        for keyPath in declared {
            let list = Recording.suspended { DeclaredDependencies.list(of: keyPath, root, in: self.list.record) }
            // The loop above follows observed properties. For any other key (`property` is 0), follow the manual notifications.
            if let list, list.property == 0 { recorder.follow(list) }
        }
    }

    /// Makes a property a dependency before the property is read.
    ///
    /// Returns nil if the owner is being deallocated or the key path is not observed.
    func follow<Owner: KeyValueObservable>(
        _ owner: Owner, property: UInt, isAtomic: Bool, _ ticket: UInt64, keyPath: () -> AnyKeyPath
    ) -> Read? {
        if isBeingDestroyed(owner) { return nil }
        let record = owner.keyValueRegistrar.record(of: owner)
        let source = PropertyAccess.makeList(
            of: owner, property, isInherited: type(of: owner) != Owner.self, isAtomic: isAtomic, keyPath: keyPath, in: record)
        // Swift traps without naming the property if it is read during its mutation in place. So report the mistake first.
        Mistake.check(!source.isOpen.load(ordering: .relaxed), whyItCannotBeRead(owner, source))
        let read = Read(record: Unretained(record).word, property: property)
        let isSameSubject = record.isRecord(of: subject)
        beFoundBy(record)
        return follow(source, read, isSameSubject ? .ofSameSubject : [], ticket) ? read : nil
    }

    private func whyItCannotBeRead(_ owner: AnyObject, _ source: ObserverList) -> String {
        """
        The observed key path `\(keyPath)` reads `\(type(of: owner)).\(source.name)`, which is being changed in place on this thread. Swift allows no \
        read of a property during such a change. Register, or make the getter read the property, before or after the change.
        """
    }

    /// Lets changes of a dependency find the observed object, without keeping the observed object alive.
    ///
    /// `record` belongs to the owner of the dependency. If the owner is not the observed object itself, this function creates the weak
    /// reference that ``living(_:)`` uses.
    func beFoundBy(_ record: ObservationRecord) {
        // SAFETY: the callers run during an evaluation, which keeps the observed object alive.
        if !record.isRecord(of: subject) { unsafe list.record.referWeakly(to: subject.object) }
    }

    /// Registers the key path with the observer list of a property or key; returns `false` if the key path is not observed.
    func follow(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, _ ticket: UInt64) -> Bool {
        var ended: Dependency?
        let (added, isFollowed): (ObservationInfo?, Bool) = withState { state in
            // If the property is already a dependency, another thread may still be registering with the property's observer list, `source`.
            // The registration must be there before the property is read. So let `link` below add it if necessary.
            if let known = state.table.known(read, ticket) { return (known, true) }
            guard state.isActive, state.table.counts(ticket) else { return (nil, false) }
            let info = DependencyInfo(source, flags, of: self)
            let interest: InfoFlags = flags.contains(.onlyByHand) ? [] : interest
            source.count(interest, by: 1, isOfDependent: true)
            let dependency = Dependency(info: info, followedAt: currentLimit, interest: interest, lastRead: ticket)
            ended = state.table.add(dependency, read, ticket)
            return (info, true)
        }
        _ = ended.take()
        if let added { _ = source.link(added) }
        return isFollowed
    }

    func confirm(_ reads: [Read], _ start: DependencyTable.Start) -> Bool {
        withState { $0.table.confirm(reads, start) }
    }
}
