internal import CSafeKVO

/// An observed key path whose value depends on other observed properties, its *dependencies*.
///
/// A tracked path records which observed properties the getters read, and registers with each of them. When one of them changes, it
/// evaluates the key path again and notifies the observers.
///
/// The `ObservationRecord` of the observed object owns the observer list, which owns the tracked path. The tracked path retains the record
/// only while there are observers, so that no retain cycle remains afterwards.
///
/// If all components of the key path are observed properties or constants (a *chain*), changes of the last property need no evaluation.
@usableFromInline
final class TrackedPath: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) all state that changes is atomic or guarded by `lock`. Handlers and getters run outside the lock.
    // The closures in `steps` capture nothing.

    @usableFromInline let keyPath: AnyKeyPath
    let steps: PathSteps
    /// The dependencies that `keyPathsForValuesAffectingValue(for:)` declares, directly or indirectly.
    let declared: [AnyKeyPath]
    // SAFETY: the list owns this `TrackedPath`. While the path is active, it retains the `ObservationRecord`, which owns the list.
    let listReference: Unretained<ObserverList>
    // SAFETY: the address of the object is mostly compared. It is dereferenced only while another reference keeps the object alive.
    let subject: Unretained<AnyObject>

    private let lock = Lock()
    // SAFETY: (of the unchecked exclusivity) only `withState` uses the variable, and holds the lock meanwhile. A second access would have to
    // wait for the lock. The attribute saves 15 % of the instructions of a change of a computed value.
    @exclusivity(unchecked) private var state = PathState()

    private init(
        of subject: AnyObject, _ keyPath: AnyKeyPath, _ steps: PathSteps, declared: [AnyKeyPath], list: Unretained<ObserverList>
    ) {
        self.subject = Unretained(subject)
        self.keyPath = keyPath
        self.steps = steps
        self.declared = declared
        listReference = list
    }

    /// Calls a closure with the state of this path, while the lock is held.
    @inline(__always)
    func withState<Result>(_ body: (inout PathState) -> Result) -> Result { lock.withLock { unsafe body(&state) } }

    /// Calls a closure with the list of the key path's observers, without retaining the list.
    @inline(__always)
    func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: the list owns this `TrackedPath`. While the path is active, it retains the `ObservationRecord`, which owns the list.
        unsafe listReference.with(body)
    }

    var list: ObserverList { withList { $0 } }

    /// `true` once it is known whether the key path consists only of observed properties and constants (`let`).
    var isExamined: Bool { withState { $0.table.isExamined } }

    func noteNoChain() { withState { $0.table.recognise([]) } }

    func noteReport() { withState { $0.isReported = true } }

    /// `true` if a getter has called `access(_:)` with the key path, so that its manual notifications are heard.
    var isReported: Bool { withState { $0.isReported } }

    /// Returns `true` for the first call with a key since the key path became observed; `false` also after very many keys.
    func isFirstAnnouncement(of key: AnyKeyPath) -> Bool {
        let word = Unretained(key).word
        return withState { state in
            guard state.isActive, state.announcedKeys.count < PathState.mostAnnouncedKeys else { return false }
            return state.announcedKeys.insert(word).inserted
        }
    }

    /// `true` if something can change the key path's value and notify the observers; otherwise, the library may warn.
    var hasDependencies: Bool { !declared.isEmpty || withState { $0.isReported || !$0.table.dependencies.isEmpty } }

    /// The names of the properties and keys that the newest evaluation read, each once, in the order of the reads.
    var followedNames: [String] {
        let lists: [ObserverList] = withState { state in
            state.table.trace.compactMap { read in state.table.dependencies[read].map { $0.info.withList { $0 } } }
        }
        // A key whose own getter calls `access(_:)` follows its own manual notifications.
        var names = isReported ? [list.qualifiedName] : []
        for name in lists.map(\.qualifiedName) where !names.contains(name) { names.append(name) }
        return names
    }

    /// Returns the ``TrackedPath`` of a key path, created if missing.
    static func path<Root: KeyValueObservable, Value>(
        of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps, in record: ObservationRecord
    ) -> TrackedPath {
        let list = record.list(
            spelled: keyPath,
            orMake: {
                let declared = Recording.suspended { DeclaredDependencies.keyPaths(of: object, keyPath) }
                return ObserverList(record: record, events: Value.self, keyPath: keyPath) {
                    TrackedPath(of: object, keyPath, steps, declared: declared, list: $0)
                }
            })
        guard let tracked = list.hook as? TrackedPath else {
            preconditionFailure("Internal error of SafeKVO: the list of `\(keyPath)` has no tracked path. Please report it.")
        }
        return tracked
    }

    // MARK: Activity

    /// Counts one more observer or registration in progress, so that the key path follows its dependencies.
    ///
    /// Returns `true` if the caller must evaluate the key path. Each call must be balanced by a call of ``deactivate()``.
    func activate(_ root: some KeyValueObservable) -> Bool {
        withState { state in
            countActivation(root.keyValueRegistrar.withRecord(ownedBy: root) { $0 }, &state)
            return !state.table.isEvaluated || state.isStale
        }
    }

    /// Counts one more observer or registration in progress; ``deactivate()`` takes it back.
    func countActivation(_ record: ObservationRecord?, _ state: inout PathState) {
        state.activations += 1
        if state.record == nil { state.record = record }
    }

    /// Takes back one call of ``activate(_:)``; after the last one, the key path stops following its dependencies.
    func deactivate() {
        let (dropped, open, record, hasGaps): ([Dependency], [OpenChange], ObservationRecord?, Bool) = withState { state in
            state.activations -= 1
            guard state.activations == 0 else { return ([], [], nil, false) }
            let open = state.openChanges
            state.openChanges = []
            state.isStale = false
            defer {
                state.record = nil
                state.gap = 0
            }
            return (state.table.rest(), open, state.record, state.hasGaps == true)
        }
        if hasGaps { PathGaps.shared.remove(self) }
        for dependency in dropped { dependency.end() }
        _ = consume open
        // Releasing the record may deallocate the list and this tracked path, so it comes last.
        _ = consume record
    }

    /// Returns the observed object, to keep the object and its observer list alive while a change is handled.
    ///
    /// If the observed object is `changed` itself, the caller keeps it alive. Otherwise, the result is nil if the key path has no observers
    /// or the object is being deallocated.
    func living(_ changed: Unretained<AnyObject>) -> AnyObject? {
        if changed == subject { return unsafe changed.object }
        return withState { $0.record }?.livingSubject
    }

    // MARK: Gaps

    /// Lets ``UnreportedKey`` find this path by the object behind which nothing reports a stored property.
    @inline(never)
    func moveGap() {
        if withState({ $0.hasGaps }) == nil {
            let hasGaps = keyPath.storedNames.dropFirst().contains { $0 != nil }
            withState { $0.hasGaps = hasGaps }
        }
        guard let owner = withState({ $0.hasGaps == true ? $0.gap : nil }) else { return }
        PathGaps.shared.move(self, to: owner)
        // Another thread may have ended the last observation meanwhile.
        if !withState({ $0.isActive }) { PathGaps.shared.remove(self) }
    }

    /// The record of the observed object while the key path is observed; whoever retains it may use the path's list.
    var activeRecord: ObservationRecord? { withState { $0.record } }

    // MARK: Requests to the dependencies

    var interest: InfoFlags { list.wantsPriorCalls || list.wantsOldValues ? .priorCall : [] }

    /// Makes the dependencies provide what this key path's observers need, such as calls before a change or old values.
    func updateInterests(_ state: inout PathState) {
        var leafInterest: InfoFlags = []
        // Only the key path's last property gets these flags, because they make each mutation of a collection copy the elements.
        if list.wantsOldValues { leafInterest.insert(.oldValue) }
        if list.wantsWholeValues { leafInterest.insert(.wholeValue) }
        for change in state.table.ask(for: interest, ofLeaf: leafInterest) {
            change.info.withList {
                $0.count(change.after, by: 1, isOfDependent: true)
                $0.count(change.before, by: -1, isOfDependent: true)
            }
        }
    }
}

extension TrackedPath: ObserverListHook {
    /// `true` if the newest evaluation has read an `@AtomicObserved` property.
    var readsAtomic: Bool { withState { $0.table.dependencies.values.contains { $0.info.withList { $0.isAtomic } } } }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if info.isDependency { return }
        // `root` is not nil, because the caller keeps the observed object alive.
        if let root = list.record.subject(of: info) { steps.activate(self, root) }
        withState { updateInterests(&$0) }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if info.isDependency { return }
        withState { updateInterests(&$0) }
        deactivate()
    }
}

/// The state of a ``TrackedPath`` that its lock guards.
struct PathState: ~Copyable {
    fileprivate var activations = 0
    /// The record of the observed object's observations, retained while the key path is observed.
    ///
    /// A change of a dependency finds the observed object through this record, which stays valid if another thread deallocates the object.
    fileprivate var record: ObservationRecord?
    var table = DependencyTable()
    var openChanges: [OpenChange] = []
    /// `true` if a batch has delayed the evaluation that finds the present dependencies.
    var isStale = false
    /// What waits for the end of a mutation in place.
    var waiting = Waiting.nothing
    fileprivate var isReported = false
    /// The addresses of the announced key paths for which ``UnreportedKey`` has been asked already.
    fileprivate var announcedKeys: Set<UInt> = []
    fileprivate var gap: UInt = 0
    /// `true` if the key path has stored properties that report nothing, behind the first hop; nil if that is not known yet.
    fileprivate var hasGaps: Bool?
    fileprivate static let mostAnnouncedKeys = 64
    var spareRecorder: DependencyRecorder?

    enum Waiting: Comparable {
        case nothing
        /// An evaluation that finds the present dependencies, but notifies nobody.
        case evaluation
        /// An evaluation, after which the observers are notified.
        case notification
    }

    /// Notes ``AccessRecorder/gap``; returns `true` if ``PathGaps`` must know.
    mutating func noteGap(at word: UInt) -> Bool {
        if word == gap || hasGaps == false || !isActive { return false }
        gap = word
        return true
    }

    /// `true` if the key path has observers or registrations in progress.
    var isActive: Bool { activations > 0 }
}
