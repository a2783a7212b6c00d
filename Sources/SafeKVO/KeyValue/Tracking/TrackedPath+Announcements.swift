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
        guard lock.withLock({ isActive }), withList({ !$0.isFollowedAnyway(announcement, of: changed, subject) }),
            let root = living(changed)
        else { return }
        withExtendedLifetime(root) {
            switch event.header.phase {
            case .prior: willChange(info, event.key, announcement, of: changed, root)
            case .after: didChange(info, event, announcement, root)
            default: willNotChange(event.key, announcement, of: changed, root)
            }
        }
        endLingering()
    }

    private func willChange(
        _ info: ObservationInfo?, _ key: AnnouncedKey, _ announcement: OpenAnnouncement, of changed: Unretained<AnyObject>,
        _ root: AnyObject
    ) {
        if lock.withLock({ !canEvaluate }) || withList({ $0.isChangingHere }) || isFollowed(announcement.keyPath, of: changed) { return }
        let limit = changed == subject ? announcement.limit : currentLimit
        let list = info?.list ?? listReference
        let source = (Unretained(announcement).word, list.word)
        if !leads(through: key) { return }
        // What a bare call has begun may never end: it keeps nothing else silent.
        steps.tellPrior(self, root, nil, source, announcement.isScoped ? .announcement : .change, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let begun = lock.withLock { takeOpenChange(of: Unretained(announcement).word) }
        // What was a hop at the beginning is told of the end, whatever it is now.
        let isHop = begun == nil && !isFollowed(announcement.keyPath, of: changed) && leads(through: event.key)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = lock.withLock {
            // What has begun to lead through another object since the beginning is told of the end.
            let open = begun ?? (isHop ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit) } : nil)
            if let open { return (stepIfTold(open, info, isBatch: isBatch), open) }
            // All observers have registered since the beginning and hear nothing of the end. The path follows what is there now.
            return (isHop && isActive && !leavesItToWhoeverIsAtIt() ? .follow : .nothing, nil)
        }
        perform(step, open, root)
    }

    private func willNotChange(_ key: AnnouncedKey, _ announcement: OpenAnnouncement, of changed: Unretained<AnyObject>, _ root: AnyObject)
    {
        let isHop = leads(through: key)
        let (open, mustEvaluate) = lock.withLock { (takeOpenChange(of: Unretained(announcement).word), canEvaluate) }
        endCancelled(open, root, mustEvaluate: mustEvaluate && (open != nil || isHop))
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
    private func leads(through key: AnnouncedKey) -> Bool {
        let paths = [keyPath] + declared
        let texts = hopTexts
        // Nothing is hidden in a chain of which every property is read.
        let first = lock.withLock({ unsafe table.chain.isWhole }) ? 1 : 0
        if !texts[first...].contains(where: { $0.mayLead(through: key.text) }) { return false }
        return readsOfEach().prefix(paths.count).enumerated().contains { index, reads in
            index >= first && texts[index].mayLead(through: key.text)
                && FollowedHops(of: paths[index], texts[index], from: subject.word, reads).leads(through: key)
        }
    }

    /// What the newest evaluation read of the key path, and then of each declared one.
    private func readsOfEach() -> [[FollowedHops.Stop]] {
        let trace: [(read: Read, list: ObserverList?)] = lock.withLock {
            unsafe table.trace.map { read in unsafe (read, table.dependencies[read].map { unsafe $0.info.list.object }) }
        }
        return trace.split(omittingEmptySubsequences: false) { $0.read == .nextDeclared }.map { part in
            part.compactMap { read, list -> FollowedHops.Stop? in
                if read.property == Read.announcements { return .object(read.record) }
                return list.map { list in unsafe .property(of: list.withRecord { $0.subjectReference.word }, list.keyPath) }
            }
        }
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
