/// The dependencies of an observed key path: the properties and objects that its getters read.
///
/// The lock of the ``TrackedPath`` guards the table.
///
/// Several threads may evaluate the key path at once and read different properties. So each evaluation gets a serial number, its *ticket*.
/// A property becomes a dependency before it is read, so that no change is missed. When an evaluation ends, each dependency is dropped
/// whose last read has a smaller ticket than the newest finished evaluation.
struct DependencyTable: ~Copyable {
    /// The ticket of an evaluation, and the version of the table when the evaluation began.
    struct Start {
        let ticket: UInt64
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The address of the observer list of the key path's last property.
    ///
    /// It is zero if the key path must be evaluated after a change of that property, because the change does not contain its new value.
    private(set) var leaf: UInt = 0
    /// The components of a key path that consists only of observed properties and constants (`let`); empty for any other key path.
    struct Chain {
        /// For each observed property, in the order of the key path, the number that identifies it in its object: usually its offset.
        var properties: [UInt] = []
        /// For each property, the offsets of the constants (`let`) just before it in the key path.
        var constants: [[UInt]] = []
        var hasConstants = false
        /// `true` as long as each evaluation has read exactly `properties`.
        var isWhole = false
    }

    private(set) var chain = Chain()
    /// `true` once it is known whether the key path consists only of observed properties and constants (`let`).
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// The greatest ticket of an evaluation that must not add dependencies, because the key path had no observers or has lost them.
    private var expiredTicket: UInt64 = 0
    /// A number that changes whenever a dependency is added or dropped.
    private(set) var version: UInt64 = 0
    /// The reads of the newest finished evaluation, in order: properties, and objects that properties returned.
    private(set) var trace: [Read] = [] {
        didSet { traceHasObjects = trace.contains { $0.property == Read.announcements } }
    }
    private var traceHasObjects = false
    /// The newest ticket of an evaluation with the reads in `trace`.
    ///
    /// Before dependencies are dropped, `settleTrace()` marks those in `trace` as read by this evaluation.
    private var traceTicket: UInt64 = 0
    /// The threads that are evaluating the key path.
    ///
    /// If a getter sets a property that it reads, this list prevents endless evaluations.
    private var evaluatingThreads: [UInt] = []
    /// The threads that changed a dependency while they were evaluating the key path themselves.
    private var disturbedThreads: Set<UInt> = []

    private static let longestTrace = 4096

    /// `true` if an evaluation has finished since the key path became observed.
    var isEvaluated: Bool { installedTicket > 0 }

    /// `true` if the newest evaluation that has begun has also finished.
    var isSettled: Bool { installedTicket == lastTicket }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    mutating func beginLooking(on thread: UInt) { evaluatingThreads.append(thread) }

    mutating func endLooking(on thread: UInt) { endEvaluating(on: thread) }

    private mutating func endEvaluating(on thread: UInt) {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
    }

    /// Notes that this thread has changed a dependency while evaluating the key path, so that the result may be outdated.
    mutating func disturb(on thread: UInt) { disturbedThreads.insert(thread) }

    /// Returns `true` if ``disturb(on:)`` was called while this thread evaluated the key path, and resets this state.
    mutating func wasDisturbed(on thread: UInt) -> Bool { !disturbedThreads.isEmpty && disturbedThreads.remove(thread) != nil }

    // MARK: Evaluations

    /// Begins an evaluation of the key path.
    ///
    /// If `counts` is `false`, the key path is not observed, and the evaluation must not add dependencies.
    mutating func begin(on thread: UInt, counts: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        if !counts { expiredTicket = lastTicket }
        return Start(ticket: lastTicket, version: version)
    }

    /// Returns the registration with a dependency, if there is one, and notes that this evaluation has read the dependency.
    ///
    /// Another thread may still be adding the registration to the observer list.
    mutating func known(_ read: Read, _ ticket: UInt64) -> ObservationInfo? {
        guard let index = dependencies.index(forKey: read), !dependencies.values[index].info.isOver else { return nil }
        if dependencies.values[index].lastRead < ticket { dependencies.values[index].lastRead = ticket }
        return dependencies.values[index].info
    }

    /// Returns `true` if the evaluation with this ticket (serial number) may still add dependencies.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    mutating func add(_ dependency: Dependency, _ read: Read, _ ticket: UInt64) {
        var dependency = dependency
        dependency.lastRead = max(dependency.lastRead, ticket)
        dependencies[read] = dependency
        version += 1
    }

    /// Marks the dependencies in `reads` as read by an evaluation that began at `start`.
    ///
    /// - Returns: `false` if a dependency was added or dropped since `start`, or an object in `reads` was deallocated.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version && !isAnybodyGone(of: reads)
    }

    /// Ends an evaluation, and drops the dependencies that are no longer read.
    ///
    /// - Parameters:
    ///   - reads: The reads of the evaluation; nil if they are the same as in the previous evaluation.
    ///   - start: The result of ``begin(on:counts:)`` for this evaluation.
    ///   - canBeChain: `true` if the key path depends only on its own properties, each read from the object to which the previous one
    ///     leads.
    /// - Returns: The dropped dependencies; nil if the evaluation must be repeated, because it may have missed one.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.properties.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
        }
        // The reads differ from `chain`, for example because a subclass overrides a property. The override may read other objects, whose
        // manual notifications must be followed. A repeated evaluation follows them, because `isWhole` is now `false`.
        if chain.isWhole, reads.map(\.property) != chain.properties {
            chain.isWhole = false
            return nil
        }
        settleTrace()
        if installedTicket <= start.ticket {
            installedTicket = start.ticket
            trace = reads.count > Self.longestTrace ? [] : reads
            findLeaf(if: canBeChain)
        }
        let newest = installedTicket
        return remove { $0.value.lastRead < newest }
    }

    private mutating func remove(where isDropped: ((key: Read, value: Dependency)) -> Bool) -> [Dependency] {
        let dropped = Array(dependencies.lazy.filter(isDropped))
        if !dropped.isEmpty { version += 1 }
        for (read, _) in dropped { dependencies[read] = nil }
        return dropped.map(\.value)
    }

    /// Ends an evaluation that read the same as the previous one; returns `false` if the evaluation must be repeated.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version || traceHasObjects && isAnybodyGone(of: trace) { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
    }

    /// Returns `true` if an object that was read has been deallocated.
    ///
    /// Its address may then belong to a new object.
    private func isAnybodyGone(of reads: [Read]) -> Bool {
        reads.contains { $0.property == Read.announcements && dependencies[$0]?.info.isOver ?? false }
    }

    private mutating func settleTrace() {
        for read in trace { _ = known(read, traceTicket) }
    }

    /// Removes and returns all dependencies, because the key path is no longer observed.
    mutating func rest() -> [Dependency] {
        let all = Array(dependencies.values)
        dependencies = [:]
        version += 1
        trace = []
        traceTicket = 0
        leaf = 0
        installedTicket = 0
        expiredTicket = lastTicket
        return all
    }

    /// Updates what each dependency must deliver to the key path, such as calls before a change.
    ///
    /// `interest` holds the flags for every dependency; `leafInterest` holds more flags for the key path's last property. The result holds
    /// the registrations whose flags have changed.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            // Skip dependencies that report only manual notifications, which these flags do not affect.
            if dependency.info.flags.contains(.onlyByHand) || read.property == Read.announcements { continue }
            let wanted = dependency.info.list.word == leaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    // MARK: Chains

    /// Stores the components of the key path, if all are observed properties or constants (`let`).
    ///
    /// - Parameter chain: The components; empty for any other key path.
    /// - Returns: The dropped dependencies: manual notifications, which such a key path need not follow.
    mutating func recognise(_ chain: Chain) -> [Dependency] {
        self.chain = chain
        isExamined = true
        if !chain.isWhole { return [] }
        let announcements = remove { $0.key.property == Read.announcements }
        trace.removeAll { $0.property == Read.announcements }
        findLeaf(if: true)
        return announcements
    }

    private mutating func findLeaf(if canBeChain: Bool) {
        leaf = 0
        let properties = chain.properties
        guard canBeChain, !properties.isEmpty, trace.count == properties.count, let last = trace.last else { return }
        guard zip(trace, properties).allSatisfy({ $0.property == $1 }), trace.firstIndex(of: last) == trace.count - 1 else { return }
        leaf = dependencies[last]?.info.list.word ?? 0
    }
}

/// Something that an evaluation of a key path has read: a property, an object or a manually notified key.
struct Read: Hashable {
    /// The address that identifies what was read.
    ///
    /// - A property: the address of the `ObservationRecord` of its owner.
    /// - An object: its address, or zero for nil.
    /// - A manually notified key: the address of its observer list.
    let record: UInt
    /// The number that identifies the property in its owner, or a special value if an object or a key was read.
    let property: UInt

    /// The ``property`` of a `Read` that stands for an object whose manual notifications the key path follows.
    static let announcements = UInt.max - 1

    /// A marker before the reads of each key path in `keyPathsForValuesAffectingValue(for:)`, and after the last of them.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
