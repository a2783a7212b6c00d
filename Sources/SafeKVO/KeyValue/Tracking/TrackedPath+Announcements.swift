internal import CSafeKVO

/// Handles manual notifications of keys that no evaluation of the key path has read.
///
/// If such a key is a component of the key path, the notification means that the key path's value changes.
///
/// A getter in the key path may also use the key. Only running the getter would show that, but a manual notification may be sent where the
/// getter must not run. So the getter names the key with `access(_:)`, or its class declares the key as a dependency.
extension TrackedPath {
    /// Handles a manual notification of a key of the observed object.
    func hear(_ event: KeyAnnouncement) { hear(nil, event) }

    /// Handles a manual notification of a key.
    ///
    /// `info` is the registration that received the notification; nil if the key belongs to the observed object.
    func hear(_ info: ObservationInfo?, _ event: KeyAnnouncement) {
        let changed = event.header.subject
        // SAFETY: the sender of the event keeps the manual notification alive during this call.
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
        // A program may forget to call `didChangeValue(for:)`. So only a notification with a closure or a token, which surely ends, holds
        // other changes back.
        steps.tellPrior(self, root, nil, source, announcement.isScoped ? .announcement : .change, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let begun = lock.withLock { takeOpenChange(of: Unretained(announcement).word) }
        // If the beginning of the notification was handled, so is its end. Otherwise, the end is handled if the key is a component of the
        // key path.
        let isHop = begun == nil && !isFollowed(announcement.keyPath, of: changed) && leads(through: event.key)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = lock.withLock {
            // The end of the notification is handled even if the key path came to lead through this object only after its beginning.
            let open = begun ?? (isHop ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit) } : nil)
            if let open { return (stepIfTold(open, info, isBatch: isBatch), open) }
            // All observers registered after the notification began, so none is notified. The evaluation only finds the present
            // dependencies.
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

    // MARK: The meaning of a notification

    /// Returns `true` if the key is a dependency of the key path.
    ///
    /// A manual notification of the key then arrives through the key's own observer list.
    private func isFollowed(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) -> Bool {
        let lists: [ObserverList] = lock.withLock {
            unsafe table.dependencies.filter { $0.key.property != Read.announcements }.map { unsafe $0.value.info.list.object }
        }
        return lists.contains { list in list.withRecord { $0.isRecord(of: owner) } && list.isAnnounced(by: keyPath) }
    }

    /// Returns `true` if `key`, which no evaluation has read, is a component of the key path or of a dependency that the class declares.
    private func leads(through key: AnnouncedKey) -> Bool {
        let paths = [keyPath] + declared
        let texts = hopTexts
        // If all components of the key path are known, the key is none of them. So examine only the dependencies that the class declares.
        let first = lock.withLock({ unsafe table.chain.isWhole }) ? 1 : 0
        if !texts[first...].contains(where: { $0.mayLead(through: key.text) }) { return false }
        return readsOfEach().prefix(paths.count).enumerated().contains { index, reads in
            index >= first && texts[index].mayLead(through: key.text)
                && FollowedHops(of: paths[index], texts[index], from: subject.word, reads).leads(through: key)
        }
    }

    /// Returns what the newest evaluation read: an array for the key path, and one for each dependency that the class declares.
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
    /// Returns `true` if a manual notification names the key of this list; the list then delivers the notification itself.
    fileprivate func isFollowedAnyway(
        _ announcement: OpenAnnouncement, of owner: Unretained<AnyObject>, _ subject: Unretained<AnyObject>
    ) -> Bool {
        owner == subject && isAnnounced(by: announcement.keyPath)
    }
}
