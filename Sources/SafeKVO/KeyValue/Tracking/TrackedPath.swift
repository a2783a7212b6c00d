internal import CSafeKVO
internal import Synchronization

/// Follows what a key path of an object depends on: evaluates it under tracking, hangs an info of its own into the list of every property
/// that was read, and when one of them changes evaluates it again and tells the observers of the key path.
///
/// There is one for each such key path of an object, whatever the number of observers; it works while there are any. The list of the key
/// path owns it, and the subject's record owns the list. The path refers to the subject weakly, through the record, and to the record only
/// while it works, so that the ring opens when the last observation ends.
///
/// Several threads may evaluate at once; ``DependencyTable`` says which counts.
///
/// A path that is exactly a chain of observed properties is more: what is told of its last property is told of it, as it is.
final class TrackedPath<Root: KeyValueObservable, Value>: Dependent, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything that changes belongs to `lock`; handlers and getters run outside it.

    struct Evaluation {
        let value: Value
        let ticket: UInt64
    }

    private let keyPath: KeyPath<Root, Value>
    private let listReference: Unretained<ObserverList>
    /// What the class says that the value depends on, besides what is read.
    private let declared: [AnyKeyPath]

    private let lock = Lock()
    private var activations = 0
    /// The record that owns the list, kept while the path is active: a dependency may call just when the subject dies on another thread.
    private var record: ObservationRecord?
    private var table = DependencyTable()
    private var openChanges: [OpenChange<Value>] = []
    /// Whether dependencies must be heard before they change: once somebody has asked for old values or prior calls.
    private var hearsPrior = false

    private init(_ keyPath: KeyPath<Root, Value>, declared: [AnyKeyPath], list: Unretained<ObserverList>) {
        self.keyPath = keyPath
        self.declared = declared
        listReference = list
    }

    /// The list of the key path, which owns the tracked path.
    var list: ObserverList { listReference.object }

    /// Whether a change can reach the path.
    var hasDependencies: Bool { !declared.isEmpty || lock.withLock { !table.dependencies.isEmpty } }

    /// The tracked path of a key path of an object, made if there is none.
    static func path(
        of object: Root, _ keyPath: KeyPath<Root, Value>, in record: ObservationRecord
    ) -> (list: ObserverList, tracked: TrackedPath) {
        record.referWeakly(to: object)
        let list = record.list(
            where: { $0.hook is TrackedPath && $0.isSpelled(keyPath) },
            orMake: {
                let declared = Recording.suspended { DeclaredDependencies.keyPaths(of: object, keyPath) }
                return ObserverList(record: record, keyPath: keyPath) { TrackedPath(keyPath, declared: declared, list: $0) }
            })
        guard let tracked = list.hook as? TrackedPath else {
            preconditionFailure("Internal inconsistency: a list for \(keyPath) is not followed by a tracked path of its type.")
        }
        return (list, tracked)
    }

    private func typed(_ root: AnyObject) -> Root {
        // SAFETY: the record's subject is the object for which the path was made.
        unsafe unsafeDowncast(root, to: Root.self)
    }

    // MARK: Activity

    /// Counts an interest in.
    ///
    /// The first evaluates.
    func activate(_ root: Root) -> Evaluation? {
        let isEvaluated = lock.withLock {
            countActivation(root)
            return table.isEvaluated
        }
        return isEvaluated ? nil : evaluate(root)
    }

    /// Counts an interest in, under the lock.
    private func countActivation(_ root: Root) {
        activations += 1
        if record == nil { record = root.keyValueRegistrar.observers.record?.object }
    }

    /// Counts an interest out.
    ///
    /// The last unlinks all dependencies.
    func deactivate() {
        let (dropped, open, record): ([Dependency], [OpenChange<Value>], ObservationRecord?) = lock.withLock {
            activations -= 1
            guard activations == 0 else { return ([], [], nil) }
            let open = openChanges
            openChanges = []
            hearsPrior = false
            defer { self.record = nil }
            return (table.rest(), open, self.record)
        }
        for dependency in dropped { dependency.end() }
        _ = consume open
        // The record may take the list and this path along, so it goes last.
        _ = consume record
    }

    // MARK: Evaluation

    /// Whether nothing that an evaluation read has changed since.
    func isCurrent(_ evaluation: Evaluation) -> Bool {
        lock.withLock { table.lastTicket == evaluation.ticket }
    }

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - root: The subject, if the path is to be activated with it.
    ///   - isThorough: Whether to expect nothing.
    /// - Returns: what it begins with.
    func begin(activating root: Root? = nil, isThorough: Bool = false) -> DependencyTable.Start {
        let thread = safekvo_thread()
        return lock.withLock {
            if let root { countActivation(root) }
            return table.begin(on: thread, isThorough: isThorough)
        }
    }

    /// Ends the first evaluation, which showed what the key path is.
    ///
    /// - Returns: nothing if it must be done again.
    func finish(_ recorder: DependencyRecorder<Root, Value>, _ value: Value, chain: [UInt], of root: Root) -> Evaluation? {
        if !declared.isEmpty { recorder.record { follow(root, recorder) } }
        let isSound = install(recorder.unexpectedReads(), recorder.start)
        if !chain.isEmpty, declared.isEmpty { lock.withLock { table.recognise(chain) } }
        return isSound ? Evaluation(value: value, ticket: recorder.start.ticket) : evaluate(root, isThorough: true)
    }

    /// Evaluates, and follows what is read.
    private func evaluate(_ root: Root, isThorough: Bool = false) -> Evaluation {
        let recorder = DependencyRecorder(self, begin(isThorough: isThorough))
        let value = recorder.record {
            let value = root[keyPath: keyPath]
            if !declared.isEmpty { follow(root, recorder) }
            return value
        }
        let reads = recorder.unexpectedReads()
        let isSound = install(reads, recorder.start) && !recorder.isDoubtful
        return isSound ? Evaluation(value: value, ticket: recorder.start.ticket) : evaluate(root, isThorough: true)
    }

    /// Follows what is declared: what it reads, and what is announced of it by hand.
    func follow(_ root: Root, _ recorder: DependencyRecorder<Root, Value>) {
        guard let record = root.keyValueRegistrar.observers.record?.object else { return }
        for keyPath in declared {
            _ = (root as Any)[keyPath: keyPath]
            let list = Recording.suspended { DeclaredDependencies.list(of: keyPath, root, in: record) }
            // What is a property is followed as one.
            if let list, list.property == 0 { recorder.follow(list) }
        }
    }

    /// Makes a property a dependency: it is about to be read.
    ///
    /// - Returns: what was read, if it can be followed.
    func follow<Owner: KeyValueObservable>(
        _ owner: Owner, property: UInt, at position: Int, _ ticket: UInt64, keyPath: () -> AnyKeyPath
    ) -> Read? {
        if Unretained(owner).isBeingDestroyed { return nil }
        let record = owner.keyValueRegistrar.observers.record(of: owner)
        let source = PropertyAccess.makeList(of: owner, property, keyPath: keyPath, in: record)
        let read = Read(record: Unretained(record).word, property: property)
        let isLeaf = lock.withLock { position == table.chain.count - 1 }
        return follow(source, read, isLeaf ? [.oldValue, .wholeValue] : [], ticket) ? read : nil
    }

    /// Makes the changes of a list something to hear of.
    ///
    /// - Returns: whether the list is followed.
    func follow(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, _ ticket: UInt64) -> Bool {
        let (added, isFollowed): (ObservationInfo?, Bool) = lock.withLock {
            if table.isKnown(read, ticket) { return (nil, true) }
            guard activations > 0, table.counts(ticket) else { return (nil, false) }
            let info = makeInfo(for: source, flags)
            table.add(info, read, ticket)
            return (info, true)
        }
        if let added { _ = source.link(added) }
        return isFollowed
    }

    /// Counts the first reads of an evaluation, which were as expected, as read.
    ///
    /// - Returns: false if a dependency has come or gone meanwhile.
    func confirm(_ reads: [Read], _ start: DependencyTable.Start) -> Bool {
        lock.withLock { table.confirm(reads, start) }
    }

    /// Ends an evaluation: what it did not read is no dependency any more, unless a later one read it.
    ///
    /// - Parameters:
    ///   - reads: What was read; nil if it is what was expected.
    ///   - start: What it began with.
    /// - Returns: false if it must be done again, because what it expected to be followed was not.
    private func install(_ reads: [Read]?, _ start: DependencyTable.Start) -> Bool {
        let thread = safekvo_thread()
        let canBeChain = declared.isEmpty
        guard let dropped = lock.withLock({ table.install(reads, start, on: thread, canBeChain: canBeChain) }) else { return false }
        drop(dropped)
        return true
    }

    private func drop(_ dropped: [Dependency]) {
        if dropped.isEmpty { return }
        for dependency in dropped { dependency.end() }
        // A change of a former dependency that was announced is never heard to be done.
        let open: [OpenChange<Value>] = lock.withLock {
            let over = openChanges.filter { open in dropped.contains { $0.info.list.word == open.dependency } }
            openChanges.removeAll { open in dropped.contains { $0.info.list.word == open.dependency } }
            return over
        }
        _ = consume open
    }

    private func makeInfo(for source: ObserverList, _ added: InfoFlags, onlyPrior: Bool = false) -> ObservationInfo {
        let context = DependencyContext(self, onlyPrior: onlyPrior)
        var flags = InfoFlags(.dependency).union(added)
        // Old values are asked for only where somebody wants them: they cost a collection its storage.
        if hearsPrior { flags.insert(.priorCall) } else { flags.remove(.oldValue) }
        return ObservationInfo(
            list: source, owner: nil, flags: flags, extras: nil, position: .unknown, keyPath: nil, context: context,
            invoke: DependencyContext.invoke)
    }

    // MARK: Changes

    /// Whether this thread is evaluating the path already, or changing a dependency in place, further up the stack.
    ///
    /// To evaluate would read it and trap; the end of that change will tell.
    private var mustWait: Bool {
        let thread = safekvo_thread()
        return lock.withLock {
            if table.isEvaluating(on: thread) { return true }
            if safekvo_open_properties() == 0 { return false }
            return table.dependencies.values.contains { $0.info.list.with { $0.modifyingThread.load(ordering: .relaxed) } == thread }
        }
    }

    /// The subject, kept alive, and its record; nil if nobody observes or the subject is going.
    private func living(_ record: ObservationRecord?, _ header: KeyValueEventHeader) -> AnyObject? {
        guard let record else { return nil }
        // Who changes the subject itself holds it.
        return record.isRecord(of: header.subject) ? header.subject.object : record.livingSubject
    }

    func sourceWillChange(_ info: ObservationInfo, _ event: EventPointer) {
        // SAFETY: the header is the first thing in every event of a key path.
        let header = unsafe event.assumingType(KeyValueEventHeader.self).pointee
        let (record, isLeaf) = lock.withLock { (self.record, table.leaf == info.list.word) }
        guard let record, let root = living(record, header) else { return }
        if !isLeaf, mustWait { return }
        withExtendedLifetime((record, root)) {
            let limit = record.currentSerial
            var change = KeyValueEvent<Value>(subject: root, phase: .prior, new: nil, old: nil)
            if isLeaf {
                // SAFETY: the last hop of a chain has the type of the key path.
                let source = unsafe event.assumingType(KeyValueEvent<Value>.self).pointee
                change = KeyValueEvent(
                    subject: root, kind: header.kind, phase: .prior, new: source.new, old: source.old, elements: header.elements,
                    wholeOld: source.wholeOld)
            }
            let isWanted = list.wantsOldValues && (!isLeaf || header.kind == .setting) && needsOldValue(limit)
            if isWanted, change.old == nil { change.old = Recording.suspended { typed(root)[keyPath: keyPath] } }
            let open = OpenChange(dependency: info.list.word, thread: safekvo_thread(), limit: limit, old: change.old)
            lock.withLock { openChanges.append(open) }
            guard list.wantsPriorCalls, var delivery = Delivery(to: listReference, limit: limit) else { return }
            change.deliver(through: &delivery, onlyPrior: true)
            delivery.finish()
        }
    }

    /// Whether an old value would be told: not if a batch knows an older one.
    private func needsOldValue(_ limit: UInt32) -> Bool {
        guard let entry = ChangeBatch.current?.entry(of: listReference) as? TypedBatchEntry<Value> else { return true }
        return entry.needsOldValue(limit)
    }

    func sourceDidChange(_ info: ObservationInfo, _ event: EventPointer) {
        // SAFETY: as above.
        let header = unsafe event.assumingType(KeyValueEventHeader.self).pointee
        let thread = safekvo_thread()
        let (record, leaf, open): (ObservationRecord?, UInt, OpenChange<Value>?) = lock.withLock {
            let index = openChanges.lastIndex { $0.dependency == info.list.word && $0.thread == thread }
            return (self.record, table.leaf, index.map { openChanges.remove(at: $0) })
        }
        let isLeaf = leaf == info.list.word
        guard let root = living(record, header) else { return }
        if !isLeaf, mustWait { return }
        withExtendedLifetime((record, root)) {
            if isLeaf {
                // SAFETY: as above.
                tellLeaf(unsafe event.assumingType(KeyValueEvent<Value>.self).pointee, root, open)
            } else if let batch = ChangeBatch.current {
                let change = KeyValueEvent<Value>(subject: root, phase: .after, new: nil, old: open?.old)
                postpone(change, root, open, in: batch)
            } else {
                tell(KeyValueEvent(subject: root, phase: .after, new: evaluate(typed(root)).value, old: open?.old), open)
            }
        }
    }

    /// Tells a change of the last property of a chain, which is what changed.
    private func tellLeaf(_ source: KeyValueEvent<Value>, _ root: AnyObject, _ open: OpenChange<Value>?) {
        let isSetting = source.header.kind == .setting
        var change = KeyValueEvent(
            subject: root, kind: source.header.kind, phase: .after, new: source.new, old: source.old ?? (isSetting ? open?.old : nil),
            elements: source.header.elements, wholeNew: source.wholeNew, wholeOld: source.wholeOld)
        guard let batch = ChangeBatch.current else { return tell(change, open) }
        // The value is found out at the end: to keep it would make the next change in place copy it.
        change.wholeNew = nil
        if isSetting { change.new = nil }
        postpone(change, root, open, in: batch)
    }

    private func tell(_ change: KeyValueEvent<Value>, _ open: OpenChange<Value>?) {
        var change = change
        guard var delivery = Delivery(to: listReference, limit: open?.limit) else { return }
        change.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Leaves a change to a batch.
    private func postpone(_ change: KeyValueEvent<Value>, _ root: AnyObject, _ open: OpenChange<Value>?, in batch: ChangeBatch) {
        guard let entry = batch.entry(of: listReference, of: root, Value.self) else { return }
        let root = typed(root)
        entry.add(change, open?.limit ?? list.record.currentSerial) { self.evaluate(root).value }
    }
}

extension TrackedPath: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if info.isDependency { return }
        if let root = list.record.livingSubject ?? list.record.subject(of: info) {
            _ = activate(typed(root))
        }
        if list.wantsPriorCalls || list.wantsOldValues { hearPrior() }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if info.isDependency { return }
        deactivate()
    }

    /// Hears every dependency before it changes too, from now on.
    ///
    /// What follows the changes themselves stays where it is, so that nobody misses the change under way.
    private func hearPrior() {
        let added: [ObservationInfo] = lock.withLock {
            if hearsPrior { return [] }
            hearsPrior = true
            return table.dependencies.keys.compactMap { key in
                guard let info = table.dependencies[key]?.info else { return nil }
                let isLeaf = info.list.word == table.leaf
                let prior = makeInfo(
                    for: info.list.object, info.flags.intersection(.onlyByHand).union(isLeaf ? .oldValue : []), onlyPrior: true)
                table.setPriorInfo(prior, of: key)
                return prior
            }
        }
        for info in added { _ = info.list.object.link(info) }
    }
}
