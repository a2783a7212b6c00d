internal import CSafeKVO

/// An observed key path whose value depends on other observed properties, its *dependencies*.
///
/// While the key path is observed, it has a *link* in the observer list of each property that its getters read. When one of them changes,
/// whoever has the path's *turn* evaluates the key path again and notifies the observers. Everybody else leaves a mark.
///
/// The `ObservationRecord` of the observed object owns the observer list, which owns the tracked path. The tracked path retains the record
/// only while there are observers, so that no retain cycle remains afterwards.
@usableFromInline
final class TrackedPath: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) all state that changes is guarded by `lock`. Handlers and getters run outside the lock.
    // The closures in `steps` capture nothing.

    @usableFromInline let keyPath: AnyKeyPath
    let steps: PathSteps
    /// The dependencies that `keyPathsForValuesAffectingValue(for:)` declares, directly or indirectly.
    let declared: [AnyKeyPath]
    /// The first home of the path; later ones are of the same sort.
    private let firstHome: Home
    // SAFETY: the list owns this `TrackedPath`. While the path is active, it retains the `ObservationRecord`, which owns the list.
    let listReference: Unretained<ObserverList>
    // SAFETY: the address of the object is mostly compared. It is dereferenced only while another reference keeps the object alive.
    let subject: Unretained<AnyObject>

    private let lock = Lock()
    // SAFETY: (of the unchecked exclusivity) only `withState` uses the variable, and holds the lock meanwhile. A second access would have to
    // wait for the lock. The attribute saves 15 % of the instructions of a change of a computed value.
    @exclusivity(unchecked) private var state: PathState

    private init(
        of subject: AnyObject, _ keyPath: AnyKeyPath, _ steps: PathSteps, declared: [AnyKeyPath], home: Home,
        list: Unretained<ObserverList>
    ) {
        self.subject = Unretained(subject)
        self.keyPath = keyPath
        self.steps = steps
        self.declared = declared
        firstHome = home
        unsafe state = PathState(home)
        listReference = list
    }

    /// The isolation in which the key path is evaluated.
    var home: Home { firstHome.isPassing ? withState { $0.home } : firstHome }

    /// `true` if several threads may evaluate the key path at once.
    var isEverywhere: Bool { firstHome.isEverywhere }

    /// `true` if this thread may evaluate the key path after a change of a property, which is atomic if `isAtomic` is `true`.
    ///
    /// The caller must hold no lock.
    func isHere(afterChangeOfAtomic isAtomic: Bool) -> Bool {
        // In no isolation, the owner makes no difference.
        if case .region = firstHome { return firstHome.isHere(afterChangeOfAtomic: isAtomic) }
        return home.isHere(afterChangeOfAtomic: isAtomic)
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

    /// Returns the ``TrackedPath`` of a key path at a home, created if missing.
    static func path<Root: KeyValueObservable, Value>(
        of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps, at home: Home, in record: ObservationRecord
    ) -> TrackedPath {
        let list = record.list(
            spelled: keyPath, at: home,
            orMake: {
                let declared = Recording.suspended { DeclaredDependencies.keyPaths(of: object, keyPath) }
                return ObserverList(record: record, events: Value.self, keyPath: keyPath) {
                    TrackedPath(of: object, keyPath, steps, declared: declared, home: home, list: $0)
                }
            })
        guard let path = list.path else {
            preconditionFailure("Internal error of SafeKVO: the list of `\(list.qualifiedName)` has no tracked path. Please report it.")
        }
        return path
    }

    /// Returns the ``TrackedPath`` of a key path at a home, and counts one more registration in progress.
    ///
    /// `mustEvaluate` is `true` if the caller must evaluate the key path. Balance each call by a call of ``deactivate()``.
    static func active<Root: KeyValueObservable, Value>(
        of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps, at home: Home, in record: ObservationRecord
    ) -> (path: TrackedPath, mustEvaluate: Bool) {
        while true {
            let path = path(of: object, keyPath, steps, at: home, in: record)
            // Another home may have taken over the path just now.
            if let mustEvaluate = path.activate(at: home) { return (path, mustEvaluate) }
        }
    }

    // MARK: Activity

    /// Counts one more registration in progress, so that the key path follows its dependencies; returns `nil` if this is the path of another
    /// home.
    ///
    /// Returns `true` if the caller must evaluate the key path. Balance each call that does not return `nil` by a call of ``deactivate()``.
    func activate(at home: Home) -> Bool? {
        withState { state in
            guard state.home.isSame(as: home) else { return nil }
            state.activate(list.record)
            return !state.isFollowed || state.turn.isMarked
        }
    }

    /// Gives an idle path to another home; returns the former one, or `nil` if the path is in use, or keeps something of the former one.
    func move(to home: Home) -> Home? {
        home.mayFollow(firstHome) ? withState { $0.move(to: home) } : nil
    }

    /// Takes back one call of ``activate()``; after the last one, the key path stops following its dependencies.
    ///
    /// Returns what must be done then, without a lock.
    func deactivate() -> (() -> Void)? {
        guard let ended = withState({ $0.deactivate() }) else { return nil }
        return {
            if ended.hasGap { PathGaps.shared.move(self) }
            for link in ended.links { link.end() }
            // Releasing the record may deallocate the list and this tracked path, so it comes last.
            withExtendedLifetime(ended) {}
        }
    }

    /// Returns the observed object, to keep the object and its observer list alive while a change is handled.
    ///
    /// If the observed object is `changed` itself, the caller keeps it alive. Otherwise, the result is nil if the key path has no observers
    /// or the object is being deallocated.
    func living(_ changed: Unretained<AnyObject>) -> AnyObject? {
        if changed == subject { return unsafe changed.object }
        return activeRecord?.livingSubject
    }

    /// The record of the observed object while the key path is observed; whoever retains it may use the path's list.
    var activeRecord: ObservationRecord? { withState { $0.record } }

    // MARK: Warnings

    /// `true` if the key path was evaluated, which has shown that it is no observed property.
    var isExamined: Bool { withState { $0.evaluations > 0 } }

    func noteReport() { withState { $0.isReported = true } }

    /// `true` if a getter has called `access(_:)` with the key path, so that its manual notifications are heard.
    var isReported: Bool { withState { $0.isReported } }

    /// `true` if something can change the key path's value and notify the observers; otherwise, the library may warn.
    ///
    /// Another thread that has the turn may not have found the dependencies yet.
    var hasDependencies: Bool {
        !declared.isEmpty || withState { $0.isReported || !$0.links.isEmpty || $0.turn.isMarked || $0.turn.isHeld(byAnotherThan: thread) }
    }

    /// Returns `true` for the first call with a key since the key path became observed; `false` also after very many keys.
    func isFirstAnnouncement(of key: AnyKeyPath) -> Bool {
        let word = Unretained(key).word
        return withState { state in
            guard state.isActive, state.announcedKeys.count < PathState.mostAnnouncedKeys else { return false }
            if state.announcedKeys.contains(word) { return false }
            state.announcedKeys.append(word)
            return true
        }
    }

    /// The names of the properties and keys that the newest evaluation read, each once, in the order of the reads.
    var followedNames: [String] {
        // A key whose own getter calls `access(_:)` follows its own manual notifications.
        var names = isReported ? [list.qualifiedName] : []
        for link in withState({ $0.links }) where !link.isOver {
            let name = link.withList { $0.qualifiedName }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

extension TrackedPath: ObserverListHook {
    /// `true` if the newest evaluation has read an `@AtomicObserved` property.
    var readsAtomic: Bool { withState { $0.links.contains { $0.withList { $0.isAtomic } } } }

    /// The name in another system; otherwise the key path with the names of its properties if it is a chain, or with what it reads.
    var listName: String? {
        if let name = steps.name { return name }
        let (links, isChain) = withState { ($0.links, $0.isChain) }
        let names = links.map { $0.withList { $0.plainName } }
        if names.isEmpty { return nil }
        return keyPath.text(naming: isChain ? names : reads(links, names))
    }

    /// Describes the components of the key path that have no name by what they read, as far as that is known.
    private func reads(_ links: [Link], _ names: [String]) -> [String] {
        let unnamed = keyPath.components.filter(\.isUnnamed)
        if unnamed.count == 1 {
            var known: [String] = []
            for name in names where !known.contains(name) { known.append(name) }
            return known.count > Self.mostNames ? [] : ["<reads \(known.joined(separator: " and "))>"]
        }
        // If the first component reads the observed object and each one reads one property, the properties are in the order of the components.
        // A component that is nil, and has a `?` behind it, is the last one that was read.
        let isComplete = links.count == unnamed.count || links.count < unnamed.count && unnamed[links.count - 1].hasSuffix("?")
        return isComplete && links[0].flags.contains(.ofSameSubject) ? names.map { "<reads \($0)>" } : []
    }

    private static var mostNames: Int { 3 }

    var homeElsewhere: (any DeliveryTarget)? { isHere(afterChangeOfAtomic: false) ? nil : home.target }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if info.isDependency { return }
        withState { state in
            state.activate(list.record)
            updateInterests(&state)
        }
    }

    func noteUnlinking(_ info: ObservationInfo) -> (() -> Void)? {
        if info.isDependency { return nil }
        withState { updateInterests(&$0) }
        return deactivate()
    }

    func takeUnwanted(of info: ObservationInfo) -> AnyObject? {
        withState { state in info.isAt(state.home) ? state.takeUnwanted(isWanted: withList { $0.wantsOldValues }) : nil }
    }

    /// Takes the last value out, at the home, if no observer needs it any more.
    func takeUnwanted() -> LastValue? { withState { $0.takeUnwanted(isWanted: withList { $0.wantsOldValues }) } }
}

/// The state of a ``TrackedPath`` that its lock guards.
struct PathState: ~Copyable {
    private(set) var home: Home
    private var activations = 0
    /// Counts how often the key path has become observed.
    private(set) var activation: UInt64 = 0
    /// The record of the observed object's observations, retained while the key path is observed.
    ///
    /// A change of a dependency finds the observed object through this record, which stays valid if another thread deallocates the object.
    private(set) var record: ObservationRecord?

    /// The right to evaluate the key path and to call its observers.
    var turn = Turn()
    /// `true` while the key path is evaluated by whoever has the turn.
    var isEvaluating = false
    /// `true` if the evaluation under way has changed what it reads.
    var isDisturbed = false
    /// The number of evaluations that have begun.
    var evaluations: UInt64 = 0
    /// `true` if an evaluation has begun since the key path became observed.
    var isFollowed = false
    /// `true` if a job that will evaluate the key path is on its way home.
    var isExpectedAtHome = false
    /// `true` if changes elsewhere have happened of which the observers have not been notified at home.
    var isDueAtHome = false

    /// The links in the order of the newest evaluation.
    var links: [Link] = []
    /// The links that the evaluation under way has made.
    var added: [Link] = []
    /// The links that registrations have made beside the thread that has the turn.
    var joined: [Link]?
    /// The value after the last change that was noticed, in a ``LastValue``; nil if no observer asks for old values.
    var last: LastValue?
    /// The property whose value the newest evaluation returned; ``Read/nothing`` if the evaluation returned another value.
    ///
    /// If that is so before and after a change of the property, the change of the key path's value is exactly that change.
    var passed = Read.nothing
    /// The numbers of the observed properties (usually their offsets) of which the key path consists.
    ///
    /// It is empty for a key path that is no such *chain*, and nil while that is unknown.
    var chain: [UInt]?
    /// The address of the observer list of the last property in the key path, such as `c` in `\.a.b.c`.
    ///
    /// An event of this property contains the key path's new value. If the address is zero, the value must be read after every change.
    var leaf: UInt = 0
    var spareRecorder: AccessRecorder?

    fileprivate(set) var isReported = false
    /// The addresses of the announced key paths for which ``UnreportedKey`` has been asked already.
    fileprivate var announcedKeys: [UInt] = []
    private(set) var gap: UInt = 0
    fileprivate static let mostAnnouncedKeys = 64

    init(_ home: Home) { self.home = home }

    /// `true` if the key path has observers or registrations in progress.
    var isActive: Bool { activations > 0 }

    fileprivate mutating func activate(_ record: ObservationRecord) {
        activations += 1
        if self.record != nil { return }
        activation += 1
        isFollowed = false
        self.record = record
    }

    /// Gives the path to another home, unless it is in use; returns the former home.
    fileprivate mutating func move(to home: Home) -> Home? {
        if isActive || last != nil || turn.isHeld { return nil }
        defer { self.home = home }
        return self.home
    }

    /// Takes back one activation; after the last one, returns what the caller must release without the lock.
    ///
    /// The last value stays, until it is taken where it may be released.
    fileprivate mutating func deactivate() -> (links: [Link], hasGap: Bool, record: ObservationRecord?)? {
        activations -= 1
        if activations > 0 { return nil }
        if let joined = joined.take() { added += joined }
        defer {
            (links, added) = ([], [])
            (passed, leaf, gap) = (.nothing, 0, 0)
            // A job that is still on its way finds that it is not meant any more.
            (isExpectedAtHome, isDueAtHome) = (false, false)
        }
        return (links + added, gap != 0, record.take())
    }

    /// Takes the last value, unless an observer wants it or somebody has the turn, who may be using it.
    mutating func takeUnwanted(isWanted: Bool) -> LastValue? { isActive && isWanted || turn.isHeld ? nil : last.take() }

    /// Returns `true` if nothing has changed since an evaluation, as far as the path knows.
    func isPresent(_ evaluation: UInt64) -> Bool { evaluations == evaluation && !turn.isMarked }

    /// Notes ``AccessRecorder/gap``; returns `true` if ``PathGaps`` must know.
    mutating func noteGap(at word: UInt) -> Bool {
        if word == gap || !isActive { return false }
        gap = word
        return true
    }

    /// Returns `true` if the key path's value was the value of a property when the key path was evaluated.
    func passes(_ read: Read) -> Bool { passed != .nothing && passed == read }

    /// `true` if the newest evaluation has read the properties of a chain, each once.
    var isChain: Bool {
        guard let chain, !chain.isEmpty, links.count == chain.count else { return false }
        return zip(links, chain).allSatisfy { $0.read.property == $1 }
    }

    /// Finds out whether the last link is that of the last property of a chain.
    mutating func findLeaf(if canBeChain: Bool) {
        leaf = 0
        guard canBeChain, isChain, let last = links.last, links.firstIndex(where: { $0 === last }) == links.count - 1 else { return }
        leaf = last.list.word
    }
}
