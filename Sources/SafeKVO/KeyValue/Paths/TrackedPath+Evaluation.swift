internal import CSafeKVO
internal import Synchronization

/// Evaluates the key path, and links it to the properties that it reads.
extension TrackedPath {
    var thread: UInt { isEverywhere ? safekvo_thread() : 1 }

    // MARK: The turn

    /// Takes the turn and begins an evaluation, unless somebody else has the turn, who then evaluates once more, or the path is not observed.
    ///
    /// The caller ends the evaluation with ``finish(_:of:)``, and gives the turn back with ``pass()``.
    @usableFromInline
    func takeTurn() -> AccessRecorder? {
        SchedulePoint.pass(.beforeTurn)
        return withState { state in take(&state) ? begin(&state) : nil }
    }

    /// The same, but leaves no mark if the key path cannot be evaluated now, because nothing has changed.
    func takeFreeTurn() -> AccessRecorder? {
        withState { state in
            let isFree = !state.turn.isHeld(byAnotherThan: thread) && !state.isEvaluating && !Self.isOpen(state.links)
            // A change of another thread of which nobody has been notified yet continues the last value. If any thread may evaluate the key path,
            // such a change leaves no mark here.
            let isDisputed = isEverywhere || state.turn.isMarked
            guard isFree, take(&state) else { return nil }
            let recorder = begin(&state)
            if isDisputed { recorder.keepNothing() }
            return recorder
        }
    }

    /// Takes the turn, unless the key path cannot be evaluated now; then leaves a mark.
    @inline(__always)
    func take(_ state: inout PathState) -> Bool {
        if !state.isActive || noteDisturbance(&state) { return false }
        // The end of the mutation is an event of the dependency, which evaluates the key path.
        if Self.isOpen(state.links) {
            state.turn.mark()
            return false
        }
        return state.turn.take(on: thread, mayNest: true) != .marked
    }

    /// Returns `true` if the evaluation under way on this thread has changed what it reads, so that it must be repeated.
    @inline(__always)
    func noteDisturbance(_ state: inout PathState) -> Bool {
        guard state.isEvaluating, state.turn.isHeld(by: thread) else { return false }
        state.isDisturbed = true
        return true
    }

    /// `true` if a dependency is being mutated in place, so that an evaluation would end the program.
    static func isOpen(_ links: [Link]) -> Bool { links.contains { $0.withList { $0.isOpen.load(ordering: .relaxed) } } }

    /// Reads the value with the turn; returns nil if the value cannot be read now, or not here.
    ///
    /// If another thread has the turn, it evaluates the key path once more, and notifies the observers.
    func whenReadable(_ read: () -> EventBox?) -> EventBox? {
        guard isHere(afterChangeOfAtomic: false), withState({ take(&$0) }) else { return nil }
        // SAFETY: the caller keeps the observed object alive, which is the root, or keeps its stand-in.
        defer { passTurn(unsafe subject.object) }
        return read()
    }

    /// Gives the turn back; returns a recorder if the caller must evaluate the key path once more, because others have left a mark.
    ///
    /// A path that is at home is marked only by those elsewhere, who have sent a job home.
    func pass() -> AccessRecorder? {
        var unwanted: LastValue?
        defer { withExtendedLifetime(unwanted) {} }
        return withState { state in
            let (isActive, links) = (state.isActive, state.links)
            let mayRepeat = { self.isEverywhere && isActive && !safekvo_has_batch() && !Self.isOpen(links) }
            if state.turn.pass(mayRepeat: mayRepeat()) { return begin(&state) }
            if !isActive { unwanted = state.takeUnwanted(isWanted: false) }
            return nil
        }
    }

    /// Lets a registration read beside another thread that has the turn; returns nil if there is none.
    ///
    /// The path is linked to what is read, so that nothing is missed that changes afterwards, and nobody need evaluate the key path once more. The
    /// next evaluation ends those of the links that it does not need.
    func join() -> AccessRecorder? { withState { join(&$0) } }

    private func join(_ state: inout PathState, _ first: AccessRecorder? = nil) -> AccessRecorder? {
        guard state.isFollowed, state.turn.isHeld(byAnotherThan: thread) else { return nil }
        let recorder = first ?? AccessRecorder(subject, path: self)
        recorder.join(state.evaluations, of: state.activation)
        return recorder
    }

    /// Begins the evaluation of a registration; returns nil if the key path cannot be evaluated now.
    @discardableResult
    func takeTurnOrJoin(_ first: AccessRecorder? = nil) -> AccessRecorder? {
        withState { state in
            if let recorder = join(&state, first) { return recorder }
            // The evaluation of a registration serves nobody who has left a mark.
            let isMarked = state.turn.isMarked && isEverywhere
            guard take(&state) else { return nil }
            defer { if isMarked { state.turn.mark() } }
            return begin(&state, first)
        }
    }

    // MARK: Evaluations

    func begin(_ state: inout PathState, _ first: AccessRecorder? = nil) -> AccessRecorder {
        let recorder = first ?? state.spareRecorder.take() ?? AccessRecorder(subject, path: self)
        state.turn.begin()
        state.isEvaluating = true
        state.isDisturbed = false
        state.evaluations += 1
        state.isFollowed = true
        recorder.begin(
            state.evaluations, of: state.activation, expecting: state.links, cutoff: currentSerial, keepsLast: keepsLast(state))
        return recorder
    }

    /// Begins to repeat an evaluation that has changed what it reads.
    @usableFromInline
    func beginAgain() -> AccessRecorder { withState { begin(&$0) } }

    /// Ends an evaluation, and ends the links of what is no longer read.
    ///
    /// Returns `false` if the getter has changed what it reads, so that the value may be outdated.
    @usableFromInline
    func finish(_ recorder: AccessRecorder, of root: AnyObject) -> Bool {
        let passed = recorder.passed(steps.types)
        if !declared.isEmpty { recorder.record { followDeclared(root, recorder) } }
        let canBeChain = recorder.isChained && declared.isEmpty
        let (gap, evaluation) = (recorder.gap, recorder.evaluation)
        let links = recorder.takeLinks()
        var former: [Link] = []
        var joined: [Link]?
        var (isMoved, isUnknown) = (false, false)
        let isDisturbed = withState { state in
            state.isEvaluating = false
            if state.spareRecorder == nil { state.spareRecorder = recorder }
            guard state.isActive, state.activation == recorder.activation else { return state.isDisturbed }
            if let links { (former, state.links, state.added) = (state.links, links, []) }
            joined = state.joined.take()
            // An object that forwards to another one may make the same reads.
            if links != nil || canBeChain != (state.leaf != 0) { state.findLeaf(if: canBeChain) }
            if links != nil || passed != state.passed {
                state.passed = passed
                updateInterests(&state)
            }
            isMoved = passed == .nothing && state.noteGap(at: gap)
            isUnknown = canBeChain && state.chain == nil
            return state.isDisturbed
        }
        for link in former where link.lastRead != evaluation { link.end() }
        if let joined { for link in joined { link.end() } }
        if isMoved { PathGaps.shared.move(self) }
        if isUnknown, let links { recognise(links) }
        return !isDisturbed
    }

    /// Finds out, once, whether the key path consists of the properties that were read.
    ///
    /// It is not enough that each property was read from the object that the previous one returned. For example, `b` in `\.a?.b` may be a
    /// computed property that reads another one.
    private func recognise(_ links: [Link]) {
        guard 2...Self.longestChain ~= links.count else { return }
        let isChain = keyPath.isChain(of: links.compactMap { $0.withList { $0.keyPath } })
        withState { state in
            state.chain = isChain ? links.map(\.read.property) : []
            state.findLeaf(if: isChain)
            updateInterests(&state)
        }
    }

    private static var longestChain: Int { 32 }

    /// Ends a reading beside another thread; keeps the value as the last one if there is none, and it is present.
    func finishJoined(_ recorder: AccessRecorder, of root: AnyObject, _ last: @autoclosure () -> LastValue?) {
        if !declared.isEmpty { recorder.record { followDeclared(root, recorder) } }
        let last = last()
        withState { if $0.last == nil, $0.isPresent(recorder.joined) { $0.last = last } }
    }

    /// The number of evaluations, by which ``isPresent(_:)`` knows whether a value is the newest.
    var evaluations: UInt64 { withState { $0.evaluations } }

    /// Returns `true` if nothing has changed since an evaluation, as far as the path knows.
    func isPresent(_ evaluation: UInt64) -> Bool { withState { $0.isPresent(evaluation) } }

    // MARK: Links

    /// Follows the key paths that `keyPathsForValuesAffectingValue(for:)` declares, and all properties that their getters read.
    private func followDeclared(_ root: AnyObject, _ recorder: AccessRecorder) {
        for keyPath in declared { _ = (root as Any)[keyPath: keyPath] }
        for keyPath in declared {
            let record = list.record
            let list = Recording.suspended { DeclaredDependencies.list(of: keyPath, root, in: record) }
            // The loop above follows observed properties. For any other key (`property` is 0), follow the manual notifications.
            if let list, list.property == 0 { recorder.follow(self, list, in: record) }
        }
    }

    func whyItCannotBeRead(_ owner: AnyObject, _ source: ObserverList) -> String {
        """
        The observed key path `\(list.qualifiedName)` reads `\(type(of: owner)).\(source.name)`, which is being changed in place on this thread. Swift allows no \
        read of a property during such a change. Register, or make the getter read the property, before or after the change.
        """
    }

    /// Links the key path to a dependency before it is read; returns nil if the key path is not observed any more.
    func link(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, for recorder: AccessRecorder) -> Link? {
        let link = Link(source, read, flags, of: self)
        let isNew = withState { state in
            guard state.isActive, state.activation == recorder.activation else { return false }
            // The links that the thread with the turn has added may not be in their lists yet.
            if recorder.joined != 0, state.links.contains(where: { $0.read == read }) { return false }
            link.interest = flags.contains(.onlyByHand) ? [] : interest
            source.count(link.interest, by: 1, isOfDependent: true)
            if recorder.joined == 0 { state.added.append(link) } else { state.joined = (state.joined ?? []) + [link] }
            return true
        }
        SchedulePoint.pass(.beforeLink)
        if isNew { _ = source.link(link) }
        return isNew ? link : nil
    }

    // MARK: Requests to the dependencies

    private var interest: InfoFlags { withList { $0.wantsPriorCalls } ? .priorCall : [] }

    /// Makes the dependencies provide what this key path's observers need, such as calls before a change or old values.
    func updateInterests(_ state: inout PathState) {
        let interest = interest
        var passing = interest
        // Only the property whose value is passed on gets these flags, because they make each mutation of a collection copy the elements.
        if withList({ $0.wantsOldValues }) {
            passing.insert([.oldValue, .wholeValue])
            // Before the collection changes, the path lets go of its copy, so that the change need not copy the elements.
            if !steps.isTrivial { passing.insert(.priorCall) }
        }
        if withList({ $0.wantsWholeValues }) { passing.insert(.wholeValue) }
        for link in state.links where !link.flags.contains(.onlyByHand) {
            let isPassing = state.leaf == 0 ? link.read == state.passed : link.list.word == state.leaf
            let wanted = isPassing ? passing : interest
            if wanted == link.interest { continue }
            link.withList {
                $0.count(wanted, by: 1, isOfDependent: true)
                $0.count(link.interest, by: -1, isOfDependent: true)
            }
            link.interest = wanted
        }
    }
}
