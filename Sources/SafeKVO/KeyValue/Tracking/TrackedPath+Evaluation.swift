internal import CSafeKVO
internal import Synchronization

/// Evaluates the key path, and follows the properties that it reads.
extension TrackedPath {
    // SAFETY: (of each access in this extension to `table`, `openChanges`, `lingering` and `spareRecorder`) `lock` is held.

    /// Returns `true` if the evaluation with the serial number `ticket` is still the newest one.
    func isCurrent(_ ticket: UInt64) -> Bool {
        lock.withLock { unsafe table.lastTicket == ticket }
    }

    /// Begins an evaluation of the key path.
    ///
    /// - Parameters:
    ///   - record: If it is not nil, the function also counts one more observer of the key path.
    ///   - isThorough: `true` to record each read without comparing it with the previous evaluation.
    /// - Returns: The recorder of the evaluation, to be passed to ``finish(_:of:)``.
    @usableFromInline
    func begin(activating record: ObservationRecord? = nil, isThorough: Bool = false) -> DependencyRecorder {
        lock.withLock {
            if let record { countActivation(record) }
            return makeRecorder(isThorough: isThorough)
        }
    }

    func beginIfPossible() -> DependencyRecorder? { lock.withLock { canEvaluate ? makeRecorder() : nil } }

    /// `true` if the key path is observed, this thread is not already evaluating it, and no dependency is being mutated in place.
    ///
    /// The caller holds the lock.
    var canEvaluate: Bool { unsafe isActive && !table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen }

    /// Begins an evaluation, while the caller holds the lock.
    func makeRecorder(isThorough: Bool = false, isLast: Bool = false) -> DependencyRecorder {
        let recorder = unsafe spareRecorder.take() ?? DependencyRecorder(self)
        unsafe recorder.begin(
            table.begin(on: safekvo_thread(), counts: isActive), expecting: isThorough ? [] : table.trace, isWhole: table.chain.isWhole,
            isLast: isLast)
        if unsafe table.chain.hasConstants { unsafe recorder.keepNotes(for: table.chain) }
        isStale = false
        isWaiting = false
        return recorder
    }

    /// Begins to repeat an evaluation that may have missed a change.
    ///
    /// The result is accepted even if the getter itself sets a dependency. Otherwise such a getter would be evaluated without end.
    @usableFromInline
    func beginThoroughly() -> DependencyRecorder { lock.withLock { makeRecorder(isThorough: true, isLast: true) } }

    /// Notes that this thread begins to evaluate the key path without recording what it reads.
    @usableFromInline
    func beginLooking() { lock.withLock { unsafe table.beginLooking(on: safekvo_thread()) } }

    @usableFromInline
    func endLooking() {
        lock.withLock {
            unsafe table.endLooking(on: safekvo_thread())
            _ = unsafe table.wasDisturbed(on: safekvo_thread())
        }
    }

    /// Ends an evaluation, and drops the dependencies that are no longer read.
    ///
    /// Returns `false` if the evaluation must be repeated, because it may have missed a dependency or a change.
    @usableFromInline
    func finish(_ recorder: DependencyRecorder, of root: AnyObject) -> Bool {
        if !declared.isEmpty { recorder.record { followDeclared(root, recorder) } }
        if isEntire { followAll(recorder) }
        let canBeChain = recorder.isChain && declared.isEmpty && !isEntire
        let reads = recorder.unexpectedReads()
        // A getter that sets one of its dependencies disturbs each evaluation. So do not repeat the last one.
        let mustDo = recorder.isLast
        let isDoubtful = recorder.isDoubtful
        let thread = safekvo_thread()
        let (dropped, isDisturbed) = lock.withLock {
            let dropped = unsafe table.install(reads, recorder.start, on: thread, canBeChain: canBeChain)
            if reads != nil { updateInterests() }
            if unsafe spareRecorder == nil { unsafe spareRecorder = recorder }
            return unsafe (dropped, table.wasDisturbed(on: thread))
        }
        guard let dropped else { return false }
        drop(dropped)
        return !isDoubtful && (mustDo || !isDisturbed)
    }

    /// Ends the first evaluation; returns `false` if the evaluation must be repeated.
    ///
    /// `chain` holds the key path's components if all are observed properties or constants (`let`); otherwise, it is empty.
    func finish(_ recorder: DependencyRecorder, of root: AnyObject, chain: DependencyTable.Chain) -> Bool {
        let isSound = finish(recorder, of: root)
        let dropped = lock.withLock {
            let dropped = unsafe table.recognise(declared.isEmpty ? chain : DependencyTable.Chain())
            updateInterests()
            return dropped
        }
        drop(dropped)
        return isSound
    }

    private func drop(_ dropped: [Dependency]) {
        if dropped.isEmpty { return }
        let (ended, open): ([Dependency], [OpenChange]) = lock.withLock {
            var ended: [Dependency] = []
            for dependency in dropped {
                let list = dependency.info.list.word
                // A manual notification of the dependency is in progress. Its end must still deliver the changes that were held back. So
                // keep the registration until then.
                if unsafe openChanges.contains(where: { $0.list == list && $0.meaning == .announcement }) {
                    unsafe lingering.append(dependency)
                    isLingering.store(true, ordering: .relaxed)
                } else {
                    ended.append(dependency)
                }
            }
            // The ends of the removed dependencies' changes are not reported any more. So forget that these changes have begun.
            let over = unsafe openChanges.filter { open in ended.contains { $0.info.list.word == open.list } }
            unsafe openChanges.removeAll { open in ended.contains { $0.info.list.word == open.list } }
            countAnnouncements()
            return (ended, over)
        }
        for dependency in ended { dependency.end() }
        _ = consume open
    }

    /// Ends the registrations with dropped dependencies whose manual notification has now ended.
    @inline(__always)
    func endLingering() {
        if isLingering.load(ordering: .relaxed) { endThoseThatLinger() }
    }

    @inline(never)
    private func endThoseThatLinger() {
        let ended: [Dependency] = lock.withLock {
            if unsafe lingering.isEmpty { return [] }
            let ended = unsafe lingering.filter { dependency in unsafe !openChanges.contains { $0.list == dependency.info.list.word } }
            defer { isLingering.store(unsafe !lingering.isEmpty, ordering: .relaxed) }
            unsafe lingering.removeAll { dependency in unsafe !openChanges.contains { $0.list == dependency.info.list.word } }
            return ended
        }
        for dependency in ended { dependency.end() }
    }

    // MARK: Following

    /// Follows the key paths that the program declares in `keyPathsForValuesAffectingValue(for:)`.
    ///
    /// The key path then depends on all properties that their getters read, and on manual notifications of the declared key paths.
    private func followDeclared(_ root: AnyObject, _ recorder: DependencyRecorder) {
        for keyPath in declared {
            recorder.noteNextDeclared()
            _ = (root as Any)[keyPath: keyPath]
        }
        recorder.noteNextDeclared()
        for keyPath in declared {
            let list = Recording.suspended { DeclaredDependencies.list(of: keyPath, root, in: self.list.record) }
            // The loop above made each observed property a dependency. Any other key has `property` zero. Follow its manual notifications.
            if let list, list.property == 0 { recorder.follow(list) }
        }
    }

    /// For the key path `\.self`, follows all properties and keys that have an observer list.
    ///
    /// A property without an observer list gets one when it changes.
    private func followAll(_ recorder: DependencyRecorder) {
        withList {
            $0.withRecord { record in
                record.forEachList { list in
                    if list === self.list || list.isOfAnnouncements || (list.hook as? TrackedPath)?.isEntire ?? false { return }
                    recorder.follow(list, in: record)
                }
            }
        }
    }

    /// Makes a property a dependency of the key path, before the property is read.
    ///
    /// - Returns: The entry of the new dependency; nil if the property's owner is being deallocated or the key path is not observed.
    func follow<Owner: KeyValueObservable>(
        _ owner: Owner, property: UInt, _ ticket: UInt64, keyPath: () -> AnyKeyPath
    ) -> Read? {
        if unsafe Unretained(owner).isBeingDestroyed { return nil }
        let record = owner.keyValueRegistrar.record(of: owner)
        let source = PropertyAccess.makeList(
            of: owner, property, isInherited: type(of: owner) != Owner.self, keyPath: keyPath, in: record)
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

    /// Makes the weak reference by which a change of another object finds the observed object.
    ///
    /// `record` belongs to the other object. Does nothing if both are the same object.
    func beFoundBy(_ record: ObservationRecord) {
        if !record.isRecord(of: subject) { unsafe list.record.referWeakly(to: subject.object) }
    }

    /// Follows the manual notifications of an object that the key path leads through, or that a getter uses.
    ///
    /// Does nothing for the observed object itself, whose manual notifications arrive in any case.
    func followAnnouncements(of object: any KeyValueObservable, _ ticket: UInt64) {
        let reference = Unretained(object as AnyObject)
        if isEntire || reference == subject { return }
        if unsafe reference.isBeingDestroyed { return }
        let record = object.keyValueRegistrar.record(of: object)
        beFoundBy(record)
        _ = follow(record.announcementList, Read(record: reference.word, property: Read.announcements), [], ticket)
    }

    /// Registers the key path with `source`, the observer list of a property or key, so that the key path depends on it.
    ///
    /// - Returns: `false` if the key path is not observed, so that it follows nothing.
    func follow(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, _ ticket: UInt64) -> Bool {
        let (added, isFollowed): (ObservationInfo?, Bool) = lock.withLock {
            // If another thread is adding this dependency, `source` may not contain the registration yet. It must contain it before the
            // property is read. So add it here if necessary.
            if let known = unsafe table.known(read, ticket) { return (known, true) }
            guard isActive, unsafe table.counts(ticket) else { return (nil, false) }
            if let index = unsafe lingering.firstIndex(where: { $0.info.list == Unretained(source) && !$0.info.isOver }) {
                unsafe table.add(lingering.remove(at: index), read, ticket)
                return (nil, true)
            }
            let info = DependencyInfo(source, flags, of: self)
            let interest: InfoFlags = flags.contains(.onlyByHand) ? [] : interest
            source.count(interest, by: 1, isOfDependent: true)
            unsafe table.add(Dependency(info: info, followedAt: currentLimit, interest: interest, lastRead: ticket), read, ticket)
            return (info, true)
        }
        if let added { _ = source.link(added) }
        return isFollowed
    }

    func confirm(_ reads: [Read], _ start: DependencyTable.Start) -> Bool {
        lock.withLock { unsafe table.confirm(reads, start) }
    }
}
