internal import CSafeKVO

/// Hearing of announcements by hand of what the path does not read: of a key of the subject, or of another object that it leads through.
///
/// If the key is a hop of the key path, every announcement is a change of the path. Whether a getter uses the key cannot be told without evaluating it,
/// which is not done: the announcement may be made where that getter must not run. The getter says so itself, or its class declares it.
extension TrackedPath {
    /// Hears of an announcement by the subject.
    func hear(_ event: KeyAnnouncement) { hear(nil, event) }

    /// Hears of an announcement.
    ///
    /// - Parameters:
    ///   - info: What hears of it; nil if the subject announces it.
    ///   - event: The announcement.
    func hear(_ info: ObservationInfo?, _ event: KeyAnnouncement) {
        let changed = event.header.subject
        // SAFETY: whoever announces keeps it during the call.
        let announcement = unsafe event.announcement.object
        guard withList({ !$0.isFollowedAnyway(announcement, of: changed, subject) }), let root = living(changed) else { return }
        withExtendedLifetime(root) {
            switch event.header.phase {
            case .prior: willChange(info, announcement, of: changed, root)
            case .after: didChange(info, event, announcement, root)
            default: willNotChange(announcement, of: changed, root)
            }
        }
        endLingering()
    }

    private func willChange(
        _ info: ObservationInfo?, _ announcement: OpenAnnouncement, of changed: Unretained<AnyObject>, _ root: AnyObject
    ) {
        let mustWait = lock.withLock { unsafe !isActive || table.isEvaluating(on: safekvo_thread()) || isDependencyOpen }
        if mustWait || withList({ $0.isChangingHere }) || isFollowed(announcement.keyPath, of: changed) { return }
        let limit = changed == subject ? announcement.limit : currentLimit
        let list = info?.list ?? listReference
        let source = (Unretained(announcement).word, list.word)
        if !leads(through: announcement.keyPath, of: changed) { return }
        // What a bare call has begun may never end: it keeps nothing else silent.
        steps.tellPrior(self, root, nil, source, announcement.isScoped ? .announcement : .change, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let concerns = !isFollowed(announcement.keyPath, of: changed) && leads(through: announcement.keyPath, of: changed)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = lock.withLock {
            // What has begun to lead through another object since the beginning is told of the end.
            let open =
                takeOpenChange(of: Unretained(announcement).word)
                ?? (concerns ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit) } : nil)
            guard isActive, open != nil || concerns else { return (.nothing, open) }
            if unsafe table.isEvaluating(on: safekvo_thread()) {
                unsafe table.disturb(on: safekvo_thread())
                return (.nothing, open)
            }
            if isDependencyOpen {
                isWaiting = true
                return (.nothing, open)
            }
            // All observers have registered since the beginning and hear nothing of the end. The path follows what is there now.
            guard let open else { return (.follow, nil) }
            // What was a hop at the beginning and is none any more tells only what was left to it.
            if let info, isLingering(info), !open.hasSwallowed { return (.nothing, open) }
            if isBatch { isStale = true }
            return (isBatch ? .postpone : .evaluate(makeRecorder()), open)
        }
        switch step {
        case .nothing: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // Who came after it was announced hears what comes next, of what is a dependency now.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

    /// What is to be done at the end of an announcement.
    private enum Step {
        case nothing
        case follow
        case evaluate(DependencyRecorder)
        case postpone
    }

    private func willNotChange(_ announcement: OpenAnnouncement, of changed: Unretained<AnyObject>, _ root: AnyObject) {
        let concerns = leads(through: announcement.keyPath, of: changed)
        let (open, mustEvaluate) = lock.withLock {
            unsafe (
                takeOpenChange(of: Unretained(announcement).word),
                isActive && !table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen
            )
        }
        endCancelled(open, root, mustEvaluate: mustEvaluate && (open != nil || concerns))
    }

    // MARK: What an announcement means

    /// `true` if the path follows the key itself, and hears of the announcement from there.
    private func isFollowed(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) -> Bool {
        let lists: [ObserverList] = lock.withLock {
            unsafe table.dependencies.filter { $0.key.property != Read.announcements }.map { unsafe $0.value.info.list.object }
        }
        return lists.contains { list in list.withRecord { $0.isRecord(of: owner) } && list.isAnnounced(by: keyPath) }
    }

    /// `true` if a key of an object is a hop of the key path, or of a declared one, that the path does not read.
    ///
    /// Components of the key path are told apart by their text, and objects on the way by what was read of them.
    private func leads(through key: AnyKeyPath, of owner: Unretained<AnyObject>) -> Bool {
        let hop = KeyPathText(key).components
        guard !hop.isEmpty else { return false }
        if leads(KeyPathText(keyPath).components, through: hop, of: owner, readsInOrder) { return true }
        let paths = declared.map { KeyPathText($0).components }.filter { $0.count > 1 && $0.contains(hop[0]) }
        if paths.isEmpty { return false }
        // What a declared key path reads comes after what others read.
        let reads = readsInOrder()
        return paths.contains { text in reads.indices.contains { start in leads(text, through: hop, of: owner) { Array(reads[start...]) } }
        }
            || owner == subject && paths.contains { $0.starts(with: hop) }
    }

    private func leads(
        _ text: [Substring], through hop: [Substring], of owner: Unretained<AnyObject>, _ reads: () -> [(owner: UInt, text: Substring?)]
    ) -> Bool {
        guard text.count > 1, text.contains(hop[0]) else { return false }
        // What was read, in order: the owner and the text of a property, or an object.
        var reads = reads()[...]
        var object: UInt? = subject.word
        for index in text.indices {
            let isNext = reads.first?.text == text[index]
            if object == nil, isNext { object = reads.first?.owner }
            if object == owner.word, text[index...].starts(with: hop) { return true }
            guard isNext else {
                object = nil
                continue
            }
            reads = reads.dropFirst()
            object = nil
            if let next = reads.first, next.text == nil {
                object = next.owner
                reads = reads.dropFirst()
            }
        }
        return false
    }

    private func readsInOrder() -> [(owner: UInt, text: Substring?)] {
        let reads: [(owner: UInt, list: ObserverList?)] = lock.withLock {
            unsafe table.trace.compactMap { read in
                if read.property == Read.announcements { return (read.record, nil) }
                return unsafe table.dependencies[read].map { dependency in
                    let list = unsafe dependency.info.list.object
                    return (list.withRecord { $0.subjectReference.word }, list)
                }
            }
        }
        return reads.map { read in (read.owner, read.list.map { list in list.keyPath.flatMap { KeyPathText($0).components.last } ?? "" }) }
    }
}

extension ObserverList {
    /// `true` if an announcement by the subject is one of this list, whose observers hear of it from there.
    fileprivate func isFollowedAnyway(
        _ announcement: OpenAnnouncement, of owner: Unretained<AnyObject>, _ subject: Unretained<AnyObject>
    ) -> Bool {
        owner == subject && isAnnounced(by: announcement.keyPath)
    }
}
