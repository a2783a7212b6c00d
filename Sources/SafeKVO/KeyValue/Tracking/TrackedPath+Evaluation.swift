internal import CSafeKVO

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

    /// Begins an evaluation (under the lock).
    func makeRecorder(isThorough: Bool = false, isLast: Bool = false) -> DependencyRecorder {
        let recorder = unsafe spareRecorder.take() ?? DependencyRecorder(self)
        unsafe recorder.begin(table.begin(on: safekvo_thread(), counts: isActive), expecting: isThorough ? [] : table.trace, isLast: isLast)
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
        let canBeChain = recorder.isChained && declared.isEmpty && !isEntire
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
    ///   - chain: The properties, if the key path is a chain of them.
    /// - Returns: false if it must be done again.
    func finish(_ recorder: DependencyRecorder, of root: AnyObject, chain: [UInt]) -> Bool {
        let isSound = finish(recorder, of: root)
        lock.withLock {
            unsafe table.recognise(declared.isEmpty ? chain : [])
            updateInterests()
        }
        return isSound
    }

    private func drop(_ dropped: [Dependency]) {
        if dropped.isEmpty { return }
        for dependency in dropped { dependency.end() }
        // A change of a former dependency that was announced is never heard to be done.
        let open: [OpenChange] = lock.withLock {
            let over = unsafe openChanges.filter { open in dropped.contains { $0.info.list.word == open.dependency } }
            unsafe openChanges.removeAll { open in dropped.contains { $0.info.list.word == open.dependency } }
            return over
        }
        _ = consume open
    }

    // MARK: Following

    /// Follows what is declared: what it reads, and what is announced of it by hand.
    private func followDeclared(_ root: AnyObject, _ recorder: DependencyRecorder) {
        for keyPath in declared {
            _ = (root as Any)[keyPath: keyPath]
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
                    if unsafe list.word == listReference.word || list.with({ ($0.hook as? TrackedPath)?.isEntire ?? false }) { return }
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
        let read = Read(record: Unretained(record).word, property: property)
        let isSameSubject = record.isRecord(of: subject)
        // The change of another object must find the subject. Whoever evaluates holds it.
        if !isSameSubject { unsafe list.record.referWeakly(to: subject.object) }
        return follow(source, read, isSameSubject ? .ofSameSubject : [], ticket) ? read : nil
    }

    /// Makes the changes of a list something to hear of.
    ///
    /// - Returns: whether the list is followed.
    func follow(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, _ ticket: UInt64) -> Bool {
        let (added, isFollowed): (ObservationInfo?, Bool) = lock.withLock {
            // Another thread may have put it there and be about to link it. It must be linked before it is read, which only the lock tells.
            if let known = unsafe table.known(read, ticket) { return (known, true) }
            guard isActive, unsafe table.counts(ticket) else { return (nil, false) }
            let info = DependencyInfo(source, flags, of: self)
            let interest: InfoFlags = flags.contains(.onlyByHand) ? [] : interest
            source.count(interest, by: 1)
            unsafe table.add(info, interest, read, ticket, at: currentLimit)
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
