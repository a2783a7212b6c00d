internal import CSafeKVO
internal import Synchronization

/// Follows what a key path of an object depends on: evaluates it under tracking, hangs an info of its own into the list of every property
/// that was read, and when one of them changes evaluates it again and tells the observers of the key path.
///
/// There is one for each such key path of an object, whatever the number of observers; it works while there are any. The list of the key
/// path owns it, and the subject's record owns the list. The path refers to the subject weakly, through the record, and to the record only
/// while it works, so that the ring opens when the last observation ends.
///
/// Several threads may evaluate at once. Each evaluation takes a ticket when it begins. What it reads is linked before it is read, so no
/// change can slip between; what no evaluation has read since the newest finished one began is unlinked. The evaluation that began last saw
/// the last write, so in the end exactly the present dependencies are left.
final class TrackedPath<Root: KeyValueObservable, Value>: Dependent, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything that changes belongs to `lock`; handlers and getters run outside it.

    struct Evaluation {
        let value: Value
        let ticket: UInt64
    }

    private struct Dependency {
        let info: ObservationInfo
        /// Hears it before it changes, where `info`, which came first, does not.
        var priorInfo: ObservationInfo?
        var lastRead: UInt64

        func end() {
            info.end(for: .removed)
            priorInfo?.end(for: .removed)
        }
    }

    /// A change of a dependency that is under way: announced to come, not yet done.
    private struct OpenChange {
        let dependency: UInt
        let thread: UInt
        let limit: UInt32
        let old: Value?
    }

    private let keyPath: KeyPath<Root, Value>
    private let listReference: Unretained<ObserverList>

    private let lock = Lock()
    private var activations = 0
    /// The record that owns the list, kept while the path is active: a dependency may call just when the subject dies on another thread.
    private var record: ObservationRecord?
    private var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// Evaluations with tickets up to this one began before the path was last at rest, and count for nothing.
    private var expiredTicket: UInt64 = 0
    /// The threads that are evaluating.
    ///
    /// A getter that sets what it depends on must not evaluate itself without end.
    private var evaluatingThreads: [UInt] = []
    /// By the address of the list that each hangs in.
    private var dependencies: [UInt: Dependency] = [:]
    private var openChanges: [OpenChange] = []
    /// Whether dependencies must be heard before they change: once somebody has asked for old values or prior calls.
    private var hearsPrior = false

    private init(_ keyPath: KeyPath<Root, Value>, list: Unretained<ObserverList>) {
        self.keyPath = keyPath
        listReference = list
    }

    /// The list of the key path, which owns the tracked path.
    var list: ObserverList { listReference.object }

    /// The tracked path of a key path of an object, made if there is none.
    static func path(
        of object: Root, _ keyPath: KeyPath<Root, Value>, in record: ObservationRecord
    ) -> (list: ObserverList, tracked: TrackedPath) {
        record.referWeakly(to: object)
        let list = record.list(
            where: { $0.hook is TrackedPath && $0.isSpelled(keyPath) },
            orMake: {
                ObserverList(record: record, keyPath: keyPath) { TrackedPath(keyPath, list: $0) }
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
            return installedTicket > 0
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
        let (dropped, record): ([Dependency], ObservationRecord?) = lock.withLock {
            activations -= 1
            guard activations == 0 else { return ([], nil) }
            let all = Array(dependencies.values)
            dependencies = [:]
            openChanges = []
            installedTicket = 0
            expiredTicket = lastTicket
            hearsPrior = false
            defer { self.record = nil }
            return (all, self.record)
        }
        for dependency in dropped { dependency.end() }
        // The record may take the list and this path along, so it goes last.
        _ = consume record
    }

    // MARK: Evaluation

    /// Whether nothing that an evaluation read has changed since.
    func isCurrent(_ evaluation: Evaluation) -> Bool {
        lock.withLock { lastTicket == evaluation.ticket }
    }

    /// Begins an evaluation.
    ///
    /// - Parameter root: The subject, if the path is to be activated with it.
    /// - Returns: the ticket.
    func beginEvaluation(activating root: Root? = nil) -> UInt64 {
        lock.withLock {
            if let root { countActivation(root) }
            lastTicket += 1
            return lastTicket
        }
    }

    private func evaluate(_ root: Root) -> Evaluation {
        let ticket = beginEvaluation()
        let thread = safekvo_thread()
        lock.withLock { evaluatingThreads.append(thread) }
        let value = DependencyRecorder(self, ticket).record { root[keyPath: keyPath] }
        lock.withLock { _ = evaluatingThreads.lastIndex(of: thread).map { evaluatingThreads.remove(at: $0) } }
        return install(value, ticket)
    }

    /// Makes a property a dependency: it is about to be read.
    func follow<Owner: KeyValueObservable>(_ owner: Owner, property: UInt, _ ticket: UInt64) {
        if Unretained(owner).isBeingDestroyed { return }
        let source = owner.keyValueRegistrar.observers.record(of: owner).list(ofProperty: property)
        let key = Unretained(source).word
        let added: ObservationInfo? = lock.withLock {
            if let known = dependencies[key], !known.info.isOver {
                dependencies[key]?.lastRead = max(known.lastRead, ticket)
                return nil
            }
            guard activations > 0, ticket > expiredTicket else { return nil }
            let info = makeInfo(for: source)
            dependencies[key] = Dependency(info: info, lastRead: ticket)
            return info
        }
        if let added { _ = source.link(added) }
    }

    /// Ends an evaluation: what it did not read is no dependency any more, unless a later one read it.
    func install(_ value: Value, _ ticket: UInt64) -> Evaluation {
        let dropped: [Dependency] = lock.withLock {
            guard ticket > expiredTicket else { return [] }
            installedTicket = max(installedTicket, ticket)
            let stale = dependencies.filter { $0.value.lastRead < installedTicket }
            for key in stale.keys { dependencies[key] = nil }
            return Array(stale.values)
        }
        drop(dropped)
        return Evaluation(value: value, ticket: ticket)
    }

    private func drop(_ dropped: [Dependency]) {
        if dropped.isEmpty { return }
        for dependency in dropped { dependency.end() }
        // A change of a former dependency that was announced is never heard to be done.
        lock.withLock {
            openChanges.removeAll { open in dropped.contains { $0.info.list.word == open.dependency } }
        }
    }

    private func makeInfo(for source: ObserverList, onlyPrior: Bool = false) -> ObservationInfo {
        let context = DependencyContext(self, onlyPrior: onlyPrior)
        var flags = InfoFlags(.dependency)
        if hearsPrior { flags.insert(.priorCall) }
        return ObservationInfo(
            list: source, owner: nil, flags: flags, extras: nil, position: .unknown, keyPath: nil, context: context,
            invoke: DependencyContext.invoke)
    }

    // MARK: Changes

    /// Whether this thread is evaluating the path already, or changing a dependency in place, further up the stack.
    ///
    /// To evaluate would read it and trap; the end of that change will tell.
    private var mustWait: Bool {
        lock.withLock {
            evaluatingThreads.contains(safekvo_thread())
                || dependencies.values.contains { $0.info.list.with { $0.modifyingThread.load(ordering: .relaxed) } == safekvo_thread() }
        }
    }

    /// Does something with the subject and the list, both kept alive meanwhile; nothing if nobody observes, the subject is going, or it must
    /// wait.
    private func withSubject(_ body: (_ root: Root, _ list: ObserverList) -> Void) {
        guard let record = lock.withLock({ record }), let root = record.livingSubject, !mustWait else { return }
        withExtendedLifetime((record, root)) { body(typed(root), list) }
    }

    func sourceWillChange(_ info: ObservationInfo) {
        withSubject { root, list in
            let old = list.wantsOldValues ? Recording.suspended { root[keyPath: keyPath] } : nil
            let limit = list.record.currentSerial
            lock.withLock {
                openChanges.append(
                    OpenChange(dependency: info.list.word, thread: safekvo_thread(), limit: limit, old: old))
            }
            guard list.wantsPriorCalls, var delivery = Delivery(to: listReference, limit: limit) else { return }
            var event = KeyValueEvent<Value>(subject: root, phase: .prior, new: nil, old: old)
            event.deliver(through: &delivery, onlyPrior: true)
            delivery.finish()
        }
    }

    func sourceDidChange(_ info: ObservationInfo) {
        let open: OpenChange? = lock.withLock {
            openChanges.lastIndex {
                $0.dependency == info.list.word && $0.thread == safekvo_thread()
            }.map { openChanges.remove(at: $0) }
        }
        withSubject { root, _ in
            let new = evaluate(root).value
            guard var delivery = Delivery(to: listReference, limit: open?.limit) else { return }
            var event = KeyValueEvent<Value>(subject: root, phase: .after, new: new, old: open?.old)
            event.deliver(through: &delivery, onlyPrior: false)
            delivery.finish()
        }
    }
}

extension TrackedPath: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        if let root = list.record.livingSubject ?? list.record.subject(of: info) {
            _ = activate(typed(root))
        }
        if list.wantsPriorCalls || list.wantsOldValues { hearPrior() }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        deactivate()
    }

    /// Hears every dependency before it changes too, from now on.
    ///
    /// What follows the changes themselves stays where it is, so that nobody misses the change under way.
    private func hearPrior() {
        let added: [ObservationInfo] = lock.withLock {
            if hearsPrior { return [] }
            hearsPrior = true
            return dependencies.keys.compactMap { key in
                guard let source = dependencies[key]?.info.list.object else { return nil }
                let info = makeInfo(for: source, onlyPrior: true)
                dependencies[key]?.priorInfo = info
                return info
            }
        }
        for info in added { _ = info.list.object.link(info) }
    }
}
