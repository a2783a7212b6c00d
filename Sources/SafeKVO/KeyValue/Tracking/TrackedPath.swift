internal import CSafeKVO
internal import Synchronization

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
    /// `true` if the key path is `\.self`, whose observers are notified of changes of all properties.
    let isEntire: Bool
    // SAFETY: the list owns this `TrackedPath`. While the path is active, it retains the `ObservationRecord`, which owns the list.
    let listReference: Unretained<ObserverList>
    // SAFETY: the address of the object is mostly compared. It is dereferenced only while another reference keeps the object alive.
    let subject: Unretained<AnyObject>

    private let lock = Lock()
    // SAFETY: (of the unchecked exclusivity) only `withState` uses the variable, and holds the lock meanwhile. A second access would have to
    // wait for the lock. The attribute saves 15 % of the instructions of a change of a computed value.
    @exclusivity(unchecked) private var state = PathState()
    /// `true` if ``PathState/lingering``, the list of former dependencies, is not empty; can be read without the lock.
    let isLingering = Atomic<Bool>(false)
    /// The number of manual notifications that are in progress and make other changes wait until they end.
    let announcements = Atomic<Int>(0)

    private init(
        of subject: AnyObject, _ keyPath: AnyKeyPath, _ steps: PathSteps, declared: [AnyKeyPath], isEntire: Bool,
        list: Unretained<ObserverList>
    ) {
        self.subject = Unretained(subject)
        self.keyPath = keyPath
        self.steps = steps
        self.declared = declared
        self.isEntire = isEntire
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

    func noteNoChain() { withState { _ = $0.table.recognise(DependencyTable.Chain()) } }

    func noteGap(_ keyPath: AnyKeyPath) { withState { $0.gap = keyPath } }

    func noteOwnAccess() { withState { $0.saysItIsAnnounced = true } }

    var hopTexts: [KeyPathText] {
        if let known = withState({ $0.texts }) { return known }
        let made = ([keyPath] + declared).map { KeyPathText($0) }
        withState { $0.texts = made }
        return made
    }

    /// The property to name in a warning that the key path may miss changes; nil if no such warning is needed.
    ///
    /// The property belongs to an object that may be replaced by another one without a notification.
    var unexplainedRead: AnyKeyPath? { declared.isEmpty && !isEntire ? withState { $0.gap } : nil }

    /// `true` if something can change the key path's value and notify the observers; otherwise, the library may warn.
    ///
    /// The key path also follows the manual notifications of objects that getters returned. These do not count, because they may never
    /// come.
    var hasDependencies: Bool {
        !declared.isEmpty || isEntire
            || withState { $0.saysItIsAnnounced || $0.table.dependencies.keys.contains { $0.property != Read.announcements } }
    }

    /// Returns the ``TrackedPath`` of a key path, created if missing.
    static func path<Root: KeyValueObservable, Value>(
        of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps, in record: ObservationRecord
    ) -> TrackedPath {
        var isMade = false
        let list = record.list(
            spelled: keyPath,
            orMake: {
                isMade = true
                let declared = Recording.suspended { DeclaredDependencies.keyPaths(of: object, keyPath) }
                return ObserverList(record: record, events: Value.self, keyPath: keyPath) {
                    TrackedPath(of: object, keyPath, steps, declared: declared, isEntire: keyPath.isEntireObject, list: $0)
                }
            })
        if isMade { record.didMakeList() }
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
        if isEntire, state.activations == 1 { withList { $0.withRecord { $0.countEntireObserver(1) } } }
    }

    /// Takes back one call of ``activate(_:)``; after the last one, the key path stops following its dependencies.
    func deactivate() {
        let (dropped, open, record): ([Dependency], [OpenChange], ObservationRecord?) = withState { state in
            state.activations -= 1
            guard state.activations == 0 else { return ([], [], nil) }
            if isEntire { withList { $0.withRecord { $0.countEntireObserver(-1) } } }
            let open = state.openChanges
            state.openChanges = []
            countAnnouncements(&state)
            state.isStale = false
            defer {
                state.record = nil
                state.lingering = []
            }
            return (state.table.rest() + state.lingering, open, state.record)
        }
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

    func didMakeList() {
        if isEntire, withState({ $0.isActive }), let root = living(subject) { steps.evaluate(self, root) }
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
    /// The dependencies on properties that the key path no longer reads, but whose manual notification is still in progress.
    ///
    /// Other changes may wait for the end of that notification. Only the dependency reports the end, so it must be kept until then.
    var lingering: [Dependency] = []
    fileprivate var gap: AnyKeyPath?
    fileprivate var texts: [KeyPathText]?
    /// `true` if the getter calls `access(_:)` with the observed key path, to say that the class sends manual notifications.
    fileprivate var saysItIsAnnounced = false
    var spareRecorder: DependencyRecorder?

    enum Waiting: Comparable {
        case nothing
        /// An evaluation that finds the present dependencies, but notifies nobody.
        case evaluation
        /// An evaluation, after which the observers are notified.
        case notification
    }

    /// `true` if the key path has observers or registrations in progress.
    var isActive: Bool { activations > 0 }
}
