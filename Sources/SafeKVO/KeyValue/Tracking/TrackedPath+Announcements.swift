internal import CSafeKVO

/// Handles manual notifications of keys that no evaluation of the observed key path has read.
///
/// Evaluations notice only reads of observed properties. For example, an unobserved variable `b` in `\.a.b.c` is unread, but a manual
/// notification of `b` matters. A key that only a getter uses is not found here, so the getter must pass the key to `access(_:)`.
extension TrackedPath {
    func hear(_ event: KeyAnnouncement) { hear(nil, event) }

    /// Handles a manual notification, which may change the value of the key path.
    ///
    /// If the key belongs to an object along the key path, `info` is the key path's registration for that object's manual notifications. If
    /// the key belongs to the observed object itself, `info` is nil.
    func hear(_ info: ObservationInfo?, _ event: KeyAnnouncement) {
        let changed = event.header.subject
        // SAFETY: the sender of the event keeps the manual notification alive during this call.
        let announcement = unsafe event.announcement.object
        guard withState({ $0.isActive }), withList({ !$0.isFollowedAnyway(announcement, of: changed, subject) }),
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
        let (isPossible, isOpen) = withState { (canEvaluate(&$0), $0.isActive && isDependencyOpen(&$0)) }
        if !isPossible && !isOpen || withList({ $0.isChangingHere }) || isFollowed(announcement.keyPath, of: changed) { return }
        let limit = changed == subject ? announcement.limit : currentLimit
        let list = info?.list ?? listReference
        let source = (Unretained(announcement).word, list.word)
        if !leads(through: key) { return }
        // An `.announcement` delays this thread's other changes of the key path until the notification ends. A notification with a closure
        // or a token (`isScoped`) always ends. But a notification that `willChangeValue(for:)` began may never end, because the program may
        // forget `didChangeValue(for:)`. So that kind of notification is stored as a `.change`.
        let meaning: OpenChange.Meaning = announcement.isScoped ? .announcement : .change
        // While a property is mutated in place, the old value cannot be read. So only store that the notification has begun.
        if isOpen { return open(source, meaning, limit, old: nil) }
        steps.tellPrior(self, root, nil, source, meaning, limit)
    }

    private func didChange(_ info: ObservationInfo?, _ event: KeyAnnouncement, _ announcement: OpenAnnouncement, _ root: AnyObject) {
        let changed = event.header.subject
        let begun = withState { takeOpenChange(of: Unretained(announcement).word, &$0) }
        // `begun` is nil if `willChange` stored nothing, for example because the key path reached the changed object later. Then react only
        // if the notified key is a component of the key path and not also a dependency (`isHop`). For a dependency (`isFollowed`),
        // `dependencyChanged` handles the notification.
        let isHop = begun == nil && !isFollowed(announcement.keyPath, of: changed) && leads(through: event.key)
        let isBatch = safekvo_has_batch()
        let (step, open): (Step, OpenChange?) = withState { state in
            // The key path may have begun to depend on the changed object after the notification began. Then notify only the observers that
            // were registered when the dependency was added. Later observers registered during the change, and are not notified of that
            // change.
            let open = begun ?? (isHop ? info.flatMap { changeUnannounced(to: $0, changed, event.header.limit, &state) } : nil)
            if let open { return (stepIfTold(open, info, isBatch: isBatch, &state), open) }
            // The key path had no observers when the notification began, so notify none. Only find the key path's present dependencies
            // (`.follow`).
            return (isHop && state.isActive && !leavesItToWhoeverIsAtIt(&state) ? .follow : .nothing, nil)
        }
        perform(step, open, root)
    }

    private func willNotChange(_ key: AnnouncedKey, _ announcement: OpenAnnouncement, of changed: Unretained<AnyObject>, _ root: AnyObject)
    {
        let isHop = leads(through: key)
        let (open, mustEvaluate) = withState { state in
            let open = takeOpenChange(of: Unretained(announcement).word, &state)
            return (open, (open != nil || isHop) && mustFollowNow(after: open, &state))
        }
        endCancelled(open, root, mustEvaluate: mustEvaluate)
    }

    // MARK: The meaning of a notification

    /// Returns `true` if the notified key is a dependency of the key path, so that the notification arrives twice.
    ///
    /// `dependencyChanged(_:_:)` handles the notification of the dependency. `hear(_:_:)` gets the same notification, and must ignore it.
    private func isFollowed(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) -> Bool {
        let lists: [ObserverList] = withState { state in
            state.table.dependencies.filter { $0.key.property != Read.announcements }.map { $0.value.info.withList { $0 } }
        }
        return lists.contains { list in list.withRecord { $0.isRecord(of: owner) } && list.isAnnounced(by: keyPath) }
    }

    /// Returns `true` if `key` may be a component of the key path, or of a dependency that the class declares.
    private func leads(through key: AnnouncedKey) -> Bool {
        let paths = [keyPath] + declared
        let texts = hopTexts
        // `paths[0]` is the observed key path, and the rest are its declared dependencies. No evaluation has read `key`. So if evaluations
        // read every component of `paths[0]` (`isWhole`), `key` can only be a component of the rest.
        let first = withState({ $0.table.chain.isWhole }) ? 1 : 0
        if !texts[first...].contains(where: { $0.mayLead(through: key.text) }) { return false }
        return readsOfEach().prefix(paths.count).enumerated().contains { index, reads in
            index >= first && texts[index].mayLead(through: key.text)
                && FollowedHops(of: paths[index], texts[index], from: subject.word, reads).leads(through: key)
        }
    }

    /// Returns what the newest evaluation read: one array for the key path, then one for each declared dependency.
    private func readsOfEach() -> [[FollowedHops.Stop]] {
        let trace: [(read: Read, list: ObserverList?)] = withState { state in
            let dependencies = state.table.dependencies
            return state.table.trace.map { read in (read, dependencies[read].map { $0.info.withList { $0 } }) }
        }
        return trace.split(omittingEmptySubsequences: false) { $0.read == .nextDeclared }.map { part in
            part.compactMap { read, list -> FollowedHops.Stop? in
                if read.property == Read.announcements { return .object(read.record) }
                return list.map { list in .property(of: list.withRecord { $0.subjectReference.word }, list.keyPath) }
            }
        }
    }
}

extension ObserverList {
    fileprivate func isFollowedAnyway(
        _ announcement: OpenAnnouncement, of owner: Unretained<AnyObject>, _ subject: Unretained<AnyObject>
    ) -> Bool {
        owner == subject && isAnnounced(by: announcement.keyPath)
    }
}
