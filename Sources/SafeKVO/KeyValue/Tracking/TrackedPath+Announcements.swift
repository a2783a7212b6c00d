internal import CSafeKVO

/// Handles manual notifications of keys that no evaluation of the observed key path has read.
///
/// Such a notification means a change of the key path's value if the key is a component of the key path.
///
/// A getter in the key path may use more keys. The library could find them only by running the getter, but not every notification allows
/// that. So the getter must name such a key with `access(_:)`, or its class must declare the key as a dependency.
extension TrackedPath {
    func hear(_ event: KeyAnnouncement) { hear(nil, event) }

    /// Handles a manual notification of a key.
    ///
    /// `info` is the registration through which the notification arrived. For a key of the observed object itself, it is nil, because the
    /// notification arrives without a registration.
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
        // A manual change with a closure or a token always ends. So the observers get other changes only with its end (`.announcement`).
        // They do not wait for `didChangeValue(for:)`, because a program may forget to call it.
        steps.tellPrior(self, root, nil, source, announcement.isScoped ? .announcement : .change, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let begun = lock.withLock { takeOpenChange(of: Unretained(announcement).word) }
        // `begun` is nil if `willChange` did nothing. Then the end matters only if the key is a component of the key path, and the key path
        // has no registration for the key.
        let isHop = begun == nil && !isFollowed(announcement.keyPath, of: changed) && leads(through: event.key)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = lock.withLock {
            // The key path may have reached the changed object only after the notification began. Then the end notifies only the observers
            // that had registered when the key path reached the object.
            let open = begun ?? (isHop ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit) } : nil)
            if let open { return (stepIfTold(open, info, isBatch: isBatch), open) }
            // No observer had registered when the notification began, so none is notified of its end. `.follow` only evaluates the key
            // path, to find its present dependencies.
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

    /// Returns `true` if the observed key path has a registration for this key of `owner`.
    ///
    /// The manual notification then arrives through that registration, too, and must not be handled twice.
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
        // Index 0 is the key path itself. If `isWhole` is `true`, evaluations read all its components, so `key` is not one of them. Then
        // examine only the declared dependencies, which begin at index 1.
        let first = lock.withLock({ unsafe table.chain.isWhole }) ? 1 : 0
        if !texts[first...].contains(where: { $0.mayLead(through: key.text) }) { return false }
        return readsOfEach().prefix(paths.count).enumerated().contains { index, reads in
            index >= first && texts[index].mayLead(through: key.text)
                && FollowedHops(of: paths[index], texts[index], from: subject.word, reads).leads(through: key)
        }
    }

    /// Returns the properties and objects that the newest evaluation read: an array for the key path, then one for each declared
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
    /// Returns `true` if the manual notification names this list's own key.
    ///
    /// Then the list's observers are notified directly.
    fileprivate func isFollowedAnyway(
        _ announcement: OpenAnnouncement, of owner: Unretained<AnyObject>, _ subject: Unretained<AnyObject>
    ) -> Bool {
        owner == subject && isAnnounced(by: announcement.keyPath)
    }
}
