/// A manual notification of a key that some observed key paths seem to lead through, but that no getter reports.
///
/// Key paths follow what accessors report, and nothing else. Here their descriptions are read, but only for a warning.
struct UnreportedKey {
    private let keyPath: AnyKeyPath
    private let owner: Unretained<AnyObject>
    private let record: ObservationRecord
    private let position: SourcePosition

    /// Warns of each observed key path that leads to the object, and that seems to lead through the key.
    ///
    /// The warning comes once for each observation. There is none if a getter has reported the key by `access(_:)`.
    @inline(never)
    static func warn(of keyPath: AnyKeyPath, _ owner: AnyObject, _ record: ObservationRecord, announcedAt position: SourcePosition) {
        let key = UnreportedKey(keyPath: keyPath, owner: Unretained(owner), record: record, position: position)
        record.forEachList { list in
            if let path = list.path { key.check(path) }
            if list.hasDependents { for path in list.followers { key.check(path) } }
        }
        for path in PathGaps.shared.paths(at: key.owner) { key.check(path) }
    }

    private func check(_ path: TrackedPath) {
        // Another thread may end the last observation of the path. The record keeps the path's list meanwhile.
        if let record = path.activeRecord { withExtendedLifetime(record) { checkActive(path) } }
    }

    private func checkActive(_ path: TrackedPath) {
        guard path.isFirstAnnouncement(of: keyPath), let name, seemsToLead(path, through: name), !isReported(to: path) else { return }
        guard let observation = path.list.firstInfo(where: { !$0.isDependency })?.position else { return }
        let property = "\(record.subjectType).\(name)"
        ObservationDiagnostics.warnOnce(
            .unreportedHop, at: observation,
            """
            The observation of `\(path.list.qualifiedName)` at \(observation) may not notice the change of `\(property)` that was announced at \(position), because \
            no getter reports it. Declare `\(property)` `@Observed` or `@WeakObserved`. Or make it a computed property whose getter calls \
            `access(_:)` with `\\.\(name)`.
            """)
    }

    /// The name of the key, if it is a stored property whose accessors report nothing.
    private var name: Substring? { keyPath.isKnownToBeStored ? keyPath.storedNames[0] : nil }

    private func seemsToLead(_ path: TrackedPath, through name: Substring) -> Bool {
        let names = path.keyPath.storedNames
        return path.subject == owner
            ? names.first == name && !path.withList { $0.isAnnounced(by: keyPath) } : names.dropFirst().contains(name)
    }

    /// Returns `true` if a getter has called `access(_:)` with the key, or the path follows the key because its class declares that.
    private func isReported(to path: TrackedPath) -> Bool {
        record.lists(announcedBy: keyPath).contains { list in
            // SAFETY: the record, which this value retains, owns the lists.
            unsafe list.with { $0.isReported || $0.path?.isReported ?? false || $0.followers.contains { $0 === path } }
        }
    }
}

/// The objects at which observed key paths go on by a stored property that reports nothing, as `\.song.title` does at `song`.
///
/// The key paths follow nothing of these objects. Only a warning needs to find the key paths.
final class PathGaps: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the dictionaries. A key path is in them only while it is observed, which keeps it alive.

    static let shared = PathGaps()
    private let lock = Lock()
    /// The object of each key path, and the key path's place among those of the object.
    private var places: [UInt: (owner: UInt, index: Int)] = [:]
    private var paths: [UInt: [UInt]] = [:]

    /// Notes the object at which the key path goes on, if there is one.
    func move(_ path: TrackedPath) {
        let word = Unretained(path).word
        lock.withLock {
            // Ask now, because the key path may have moved on, or ended, on another thread.
            let gap = path.withState { $0.gap }
            if let (owner, index) = places.removeValue(forKey: word), let last = paths[owner]?.popLast() {
                if last != word {
                    paths[owner]?[index] = last
                    places[last]?.index = index
                } else if index == 0 {
                    paths[owner] = nil
                }
            }
            if gap == 0 { return }
            places[word] = (gap, paths[gap]?.count ?? 0)
            paths[gap, default: []].append(word)
        }
    }

    func paths(at owner: Unretained<AnyObject>) -> [TrackedPath] {
        lock.withLock { (paths[owner.word] ?? []).compactMap { unsafe Unretained<TrackedPath>(word: $0)?.object } }
    }
}
