internal import CSafeKVO

/// Handles manual notifications of keys that the evaluations of the key path have not read.
///
/// If such a key is a component of the key path, the notification means that the key path's value changes.
///
/// A getter in the key path may use other keys, too. Only a call of the getter would show that, but a notification may be sent where the
/// getter must not run. So the getter must name such a key with `access(_:)`, or its class must declare the key as a dependency.
extension TrackedPath {
    func hear(_ event: KeyAnnouncement) { hear(nil, event) }

    /// Handles a manual notification of a key.
    ///
    /// `info` is the registration that received the notification. It is nil for a key of the observed object, which needs no registration.
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
        // A notification with a closure or a token surely ends, so other changes wait for its end (`.announcement`). They do not wait for
        // `didChangeValue(for:)`, because a program may forget to call it.
        steps.tellPrior(self, root, nil, source, announcement.isScoped ? .announcement : .change, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let begun = lock.withLock { takeOpenChange(of: Unretained(announcement).word) }
        // If the beginning was not handled, `begun` is nil. Then the end matters only if the key is a component of the key path that has no
        // registration of its own.
        let isHop = begun == nil && !isFollowed(announcement.keyPath, of: changed) && leads(through: event.key)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = lock.withLock {
            // If the key path came to lead through this object after the notification had begun, the end notifies only the observers that
            // registered before that.
            let open = begun ?? (isHop ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit) } : nil)
            if let open { return (stepIfTold(open, info, isBatch: isBatch), open) }
            // `open` is nil, so all observers registered after the notification began, and none is notified. `.follow` only makes an
            // evaluation, to find the present dependencies.
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

    /// Returns `true` if the observed key path depends on this key of `owner`, and has a registration for it.
    ///
    /// The manual notification also arrives through that registration, and must not be handled twice.
    private func isFollowed(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) -> Bool {
        let lists: [ObserverList] = lock.withLock {
            unsafe table.dependencies.filter { $0.key.property != Read.announcements }.map { unsafe $0.value.info.list.object }
        }
        return lists.contains { list in list.withRecord { $0.isRecord(of: owner) } && list.isAnnounced(by: keyPath) }
    }

    /// Returns `true` if `key` is a component of the key path, or of a dependency that the class declares.
    ///
    /// No evaluation has read `key`, so the descriptions of the components are compared with it.
    private func leads(through key: AnnouncedKey) -> Bool {
        let paths = [keyPath] + declared
        let texts = hopTexts
        // `isWhole` means that evaluations read all components of the key path, whose index is 0. `key` is none of them, so examine only
        // the declared dependencies, from index 1.
        let first = lock.withLock({ unsafe table.chain.isWhole }) ? 1 : 0
        if !texts[first...].contains(where: { $0.mayLead(through: key.text) }) { return false }
        return readsOfEach().prefix(paths.count).enumerated().contains { index, reads in
            index >= first && texts[index].mayLead(through: key.text)
                && FollowedHops(of: paths[index], texts[index], from: subject.word, reads).leads(through: key)
        }
    }

    /// Returns the properties and objects that the newest evaluation read: one array for the key path, and one for each declared
    /// dependency.
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
    /// Returns `true` if the manual notification is one of the key of this list, so that the list's observers are notified directly.
    fileprivate func isFollowedAnyway(
        _ announcement: OpenAnnouncement, of owner: Unretained<AnyObject>, _ subject: Unretained<AnyObject>
    ) -> Bool {
        owner == subject && isAnnounced(by: announcement.keyPath)
    }
}
