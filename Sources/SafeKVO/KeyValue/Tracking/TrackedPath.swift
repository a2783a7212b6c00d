internal import CSafeKVO
internal import Synchronization

/// Follows what a key path of an object depends on: evaluates it under tracking, hangs an info of its own into the list of every property
/// that was read, and when one of them changes evaluates it again and tells the observers of the key path.
///
/// There is one for each such key path of an object, whatever the number of observers; it works while there are any. The list of the key
/// path owns it, and the subject's record owns the list. The path refers to the subject weakly, through the record, and to the record only
/// while it works, so that the ring opens when the last observation ends. The infos keep the path: ``DependencyInfo``.
///
/// Several threads may evaluate at once; ``DependencyTable`` says which counts. What must know the types is in ``PathSteps``.
///
/// A path that is exactly a chain of observed properties is more: what is told of its last property is told of it, as it is.
@usableFromInline
final class TrackedPath: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything that changes belongs to `lock`; handlers and getters run outside it. The steps capture nothing.

    @usableFromInline let keyPath: AnyKeyPath
    let steps: PathSteps
    /// What the class says that the value depends on, besides what is read.
    let declared: [AnyKeyPath]
    /// Whether the path is `\.self`, which stands for every property that the subject has, and for all that it announces by hand.
    let isEntire: Bool
    // SAFETY: the list owns the path.
    let listReference: Unretained<ObserverList>
    // SAFETY: compared, and used while somebody else holds it.
    let subject: Unretained<AnyObject>

    let lock = Lock()
    private var activations = 0
    /// The record that owns the list, kept while the path is active: a dependency may call just when the subject dies on another thread.
    private var record: ObservationRecord?
    // SAFETY: (of the unchecked exclusivity of these four) only touched under the lock, by functions that call nobody. Gain: 15 % of the
    // instructions of a change of a computed value.
    @exclusivity(unchecked) var table = DependencyTable()
    @exclusivity(unchecked) var openChanges: [OpenChange] = []
    /// Whether something changed in a batch and the path was not evaluated, so that the dependencies may be former ones.
    var isStale = false
    /// Whether a change could not be evaluated, because a dependency was open for change in place.
    var isWaiting = false
    /// Former dependencies that are followed to the end of what the program has announced of them.
    @exclusivity(unchecked) var lingering: [Dependency] = []
    /// `true` if there are any.
    let isLingering = Atomic<Bool>(false)
    /// How many open changes the program has announced by hand.
    let announcements = Atomic<Int>(0)
    /// What the first evaluation read without it being known how the key path leads there.
    private var gap: AnyKeyPath?
    /// The components of the key path and of the declared ones, once an announcement has asked for them.
    private var texts: [KeyPathText]?
    /// `true` if the getter says that what it reads is announced by hand.
    private var saysItIsAnnounced = false
    /// What the next evaluation may use.
    @exclusivity(unchecked) var spareRecorder: DependencyRecorder?

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

    /// Uses the list without taking a reference.
    @inline(__always)
    func withList<Result>(_ body: (ObserverList) -> Result) -> Result {
        // SAFETY: the list owns the path, so that it is there as long as this is.
        unsafe listReference.with(body)
    }

    /// The list of the key path, which owns the tracked path.
    var list: ObserverList { unsafe listReference.object }

    /// Whether it is known whether the path is a chain.
    var isExamined: Bool { lock.withLock { unsafe table.isExamined } }

    /// Takes note that the path is no chain, because it reads nothing.
    func noteNoChain() { lock.withLock { _ = unsafe table.recognise(DependencyTable.Chain()) } }

    /// Takes note of what the first evaluation read without it being known how the key path leads there.
    func noteGap(_ keyPath: AnyKeyPath) { lock.withLock { gap = keyPath } }

    /// Takes note that the getter itself says that what it reads is announced by hand.
    func noteOwnAccess() { lock.withLock { saysItIsAnnounced = true } }

    /// The components of the key path, and of each declared one.
    var hopTexts: [KeyPathText] {
        if let known = lock.withLock({ texts }) { return known }
        let made = ([keyPath] + declared).map { KeyPathText($0) }
        lock.withLock { texts = made }
        return made
    }

    /// What was noted so; nil if nothing was, or if the class says what the key path depends on.
    var unexplainedRead: AnyKeyPath? { declared.isEmpty && !isEntire ? lock.withLock { gap } : nil }

    /// Whether a change can reach the path.
    ///
    /// Announcements by hand count where the class says that there are any.
    var hasDependencies: Bool {
        !declared.isEmpty || isEntire
            || lock.withLock { unsafe saysItIsAnnounced || table.dependencies.keys.contains { $0.property != Read.announcements } }
    }

    /// The tracked path of a key path of an object, made if there is none.
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

    /// Whether anybody is interested (under the lock).
    var isActive: Bool { activations > 0 }

    /// Counts an interest in.
    ///
    /// - Returns: whether the path must be evaluated.
    func activate(_ root: some KeyValueObservable) -> Bool {
        lock.withLock {
            unsafe countActivation(root.keyValueRegistrar.record(ownedBy: root)?.object)
            return unsafe !table.isEvaluated || isStale
        }
    }

    /// Counts an interest in, under the lock.
    func countActivation(_ record: ObservationRecord?) {
        activations += 1
        if self.record == nil { self.record = record }
        if isEntire, activations == 1 { withList { $0.withRecord { $0.countEntireObserver(1) } } }
    }

    /// Counts an interest out.
    ///
    /// The last unlinks all dependencies.
    func deactivate() {
        let (dropped, open, record): ([Dependency], [OpenChange], ObservationRecord?) = lock.withLock {
            activations -= 1
            guard activations == 0 else { return ([], [], nil) }
            if isEntire { withList { $0.withRecord { $0.countEntireObserver(-1) } } }
            let open = unsafe openChanges
            unsafe openChanges = []
            countAnnouncements()
            isStale = false
            defer {
                self.record = nil
                unsafe lingering = []
            }
            return unsafe (table.rest() + lingering, open, self.record)
        }
        for dependency in dropped { dependency.end() }
        _ = consume open
        // The record may take the list and this path along, so it goes last.
        _ = consume record
    }

    /// Keeps the subject alive, and with it the record and the list.
    ///
    /// - Parameter changed: Whose change was announced: who changes an object holds it.
    /// - Returns: nil if nobody observes or the subject is going.
    func living(_ changed: Unretained<AnyObject>) -> AnyObject? {
        if changed == subject { return unsafe changed.object }
        return lock.withLock { record }?.livingSubject
    }

    // MARK: What the dependencies' lists count as asked for

    /// What is asked for of each dependency because of what the observers of the path ask for: that it be announced before it changes.
    var interest: InfoFlags { list.wantsPriorCalls || list.wantsOldValues ? .priorCall : [] }

    /// Asks for what the observers ask for (under the lock).
    ///
    /// The counts are those of the present, so that of two threads the one that comes last sees what both did.
    func updateInterests() {
        var leafInterest: InfoFlags = []
        // Old values and whole ones cost a collection its storage.
        if list.wantsOldValues { leafInterest.insert(.oldValue) }
        if list.wantsWholeValues { leafInterest.insert(.wholeValue) }
        for change in unsafe table.ask(for: interest, ofLeaf: leafInterest) {
            unsafe change.info.list.with {
                $0.count(change.after, by: 1, isOfDependent: true)
                $0.count(change.before, by: -1, isOfDependent: true)
            }
        }
    }
}

extension TrackedPath: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if info.isDependency { return }
        // Whoever registers holds the subject.
        if let root = list.record.subject(of: info) { steps.activate(self, root) }
        lock.withLock { updateInterests() }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if info.isDependency { return }
        lock.withLock { updateInterests() }
        deactivate()
    }

    func didMakeList() {
        if isEntire, lock.withLock({ isActive }), let root = living(subject) { steps.evaluate(self, root) }
    }
}
