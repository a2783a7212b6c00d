internal import CSafeKVO
internal import Synchronization

/// Evaluating, and following what is read.
extension TrackedPath {
    // SAFETY: (of what is marked below) only touched under the lock, as is said where it is declared.

    /// Whether nothing that an evaluation read has changed since.
    func isCurrent(_ ticket: UInt64) -> Bool {
        lock.withLock { unsafe table.lastTicket == ticket }
    }

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - record: The subject's record, if the path is to be activated with it.
    ///   - isThorough: Whether to expect nothing.
    /// - Returns: what is to listen, to be handed to ``finish(_:of:)``.
    func begin(activating record: ObservationRecord? = nil, isThorough: Bool = false) -> DependencyRecorder {
        lock.withLock {
            if let record { countActivation(record) }
            return makeRecorder(isThorough: isThorough)
        }
    }

    /// Begins an evaluation; nil if nobody is interested, or if the path cannot be evaluated here and now.
    func beginIfPossible() -> DependencyRecorder? { lock.withLock { canEvaluate ? makeRecorder() : nil } }

    /// Whether somebody is interested, and the path can be evaluated here and now (under the lock).
    var canEvaluate: Bool { unsafe isActive && !table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen }

    /// Begins an evaluation (under the lock).
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

    /// Begins an evaluation again that was not sound: it expects nothing, and takes what it finds.
    @usableFromInline
    func beginThoroughly() -> DependencyRecorder { lock.withLock { makeRecorder(isThorough: true, isLast: true) } }

    /// Says that this thread evaluates without following what is read.
    @usableFromInline
    func beginLooking() { lock.withLock { unsafe table.beginLooking(on: safekvo_thread()) } }

    /// Says that it is done.
    @usableFromInline
    func endLooking() {
        lock.withLock {
            unsafe table.endLooking(on: safekvo_thread())
            _ = unsafe table.wasDisturbed(on: safekvo_thread())
        }
    }

    /// Ends an evaluation: what it did not read is no dependency any more, unless a later one read it.
    ///
    /// - Parameters:
    ///   - recorder: What listened.
    ///   - root: The subject.
    /// - Returns: false if it must be done again, because what it expected to be followed was not.
    @usableFromInline
    func finish(_ recorder: DependencyRecorder, of root: AnyObject) -> Bool {
        if !declared.isEmpty { recorder.record { followDeclared(root, recorder) } }
        if isEntire { followAll(recorder) }
        let canBeChain = recorder.isChain && declared.isEmpty && !isEntire
        let reads = recorder.unexpectedReads()
        // What the evaluation itself has changed is evaluated once more, and no more: a getter that sets what it reads has no end.
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

    /// Ends the first evaluation, which showed what the key path is.
    ///
    /// - Parameters:
    ///   - recorder: What listened.
    ///   - root: The subject.
    ///   - chain: What the key path is, if it is a chain.
    /// - Returns: false if it must be done again.
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
                // The end of what the program has announced tells what has changed until then.
                if unsafe openChanges.contains(where: { $0.list == list && $0.meaning == .announcement }) {
                    unsafe lingering.append(dependency)
                    isLingering.store(true, ordering: .relaxed)
                } else {
                    ended.append(dependency)
                }
            }
            // A change of a former dependency that was announced is never heard to be done.
            let over = unsafe openChanges.filter { open in ended.contains { $0.info.list.word == open.list } }
            unsafe openChanges.removeAll { open in ended.contains { $0.info.list.word == open.list } }
            countAnnouncements()
            return (ended, over)
        }
        for dependency in ended { dependency.end() }
        _ = consume open
    }

    /// Ends what was kept to hear of the end of an announcement.
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

    /// Follows what is declared: what it reads, and what is announced of it by hand.
    private func followDeclared(_ root: AnyObject, _ recorder: DependencyRecorder) {
        for keyPath in declared {
            recorder.noteNextDeclared()
            _ = (root as Any)[keyPath: keyPath]
        }
        recorder.noteNextDeclared()
        for keyPath in declared {
            let list = Recording.suspended { DeclaredDependencies.list(of: keyPath, root, in: self.list.record) }
            // What is a property is followed as one.
            if let list, list.property == 0 { recorder.follow(list) }
        }
    }

    /// Follows every property that there is a list of, and what is announced by hand of everything else.
    ///
    /// What has no list yet gets one when it changes.
    private func followAll(_ recorder: DependencyRecorder) {
        withList {
            $0.withRecord { record in
                record.forEachList { list in
                    if unsafe list.word == listReference.word
                        || list.with({ $0.isOfAnnouncements || ($0.hook as? TrackedPath)?.isEntire ?? false })
                    {
                        return
                    }
                    unsafe recorder.follow(list.object, in: record)
                }
            }
        }
    }

    /// Makes a property a dependency: it is about to be read.
    ///
    /// - Returns: what was read, if it can be followed.
    func follow<Owner: KeyValueObservable>(
        _ owner: Owner, property: UInt, _ ticket: UInt64, keyPath: () -> AnyKeyPath
    ) -> Read? {
        if unsafe Unretained(owner).isBeingDestroyed { return nil }
        let record = owner.keyValueRegistrar.record(of: owner)
        let source = PropertyAccess.makeList(
            of: owner, property, isInherited: type(of: owner) != Owner.self, keyPath: keyPath, in: record)
        // Swift would end the program at the read that comes next, and name neither the property nor the cure.
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

    /// Sees to it that changes of another object find the subject.
    ///
    /// Whoever evaluates holds the subject.
    func beFoundBy(_ record: ObservationRecord) {
        if !record.isRecord(of: subject) { unsafe list.record.referWeakly(to: subject.object) }
    }

    /// Makes what is announced of an object by hand something to hear of: the object is a hop, or a getter uses it.
    ///
    /// What the subject announces is heard in any case.
    func followAnnouncements(of object: any KeyValueObservable, _ ticket: UInt64) {
        let reference = Unretained(object as AnyObject)
        if isEntire || reference == subject { return }
        if unsafe reference.isBeingDestroyed { return }
        let record = object.keyValueRegistrar.record(of: object)
        beFoundBy(record)
        _ = follow(record.announcementList, Read(record: reference.word, property: Read.announcements), [], ticket)
    }

    /// Makes the changes of a list something to hear of.
    ///
    /// - Returns: whether the list is followed.
    func follow(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, _ ticket: UInt64) -> Bool {
        let (added, isFollowed): (ObservationInfo?, Bool) = lock.withLock {
            // Another thread may have put it there and be about to link it. It must be linked before it is read, which only the lock tells.
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

    /// Counts the first reads of an evaluation, which were as expected, as read.
    ///
    /// - Returns: false if a dependency has come or gone meanwhile.
    func confirm(_ reads: [Read], _ start: DependencyTable.Start) -> Bool {
        lock.withLock { unsafe table.confirm(reads, start) }
    }
}
