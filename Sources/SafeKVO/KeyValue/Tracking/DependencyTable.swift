/// The dependencies of an observed key path: the properties and objects that its getters read.
///
/// The lock of the ``TrackedPath`` guards this structure.
///
/// Several threads may evaluate the key path at once and read different properties. So each evaluation gets a serial number, its *ticket*.
/// A property becomes a dependency before it is read, so that no change is missed. A finished evaluation drops the dependencies that only
/// older evaluations have read.
struct DependencyTable: ~Copyable {
    struct Start {
        let ticket: UInt64
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The address of the observer list of the last property in the key path, such as `c` in `\.a.b.c`.
    ///
    /// An event of this property contains the key path's new value. If the address is zero, the value must be read after every change.
    private(set) var leaf: UInt = 0
    /// The components of a key path that consists only of observed properties and constants (`let`); empty for any other key path.
    struct Chain {
        /// The numbers of the observed properties (usually their offsets), in the order of the key path.
        var properties: [UInt] = []
        /// For each property, the offsets of the constants (`let`) just before the property in the key path.
        ///
        /// If `b` is the only constant in `\.a.b.c`, this is `[[], [offset of b]]`: nothing before `a`, and `b` before `c`.
        var constants: [[UInt]] = []
        var hasConstants = false
        /// `true` if every evaluation so far has read exactly ``properties``, and nothing else.
        ///
        /// Then the key path contains no computed property or unobserved variable, whose changes only a manual notification could report.
        /// So the key path does not follow the manual notifications of the objects along it.
        var isWhole = false
    }

    private(set) var chain = Chain()
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    private var expiredTicket: UInt64 = 0
    /// A number that changes whenever a dependency is added or dropped.
    private(set) var version: UInt64 = 0
    /// The reads of the newest finished evaluation, in order; empty if there are too many.
    private(set) var trace: [Read] = [] {
        didSet { traceHasObjects = trace.contains { $0.property == Read.announcements } }
    }
    private var traceHasObjects = false
    private var traceTicket: UInt64 = 0
    private var evaluatingThreads: [UInt] = []
    private var disturbedThreads: Set<UInt> = []

    private static let longestTrace = 4096

    /// `true` if an evaluation has finished since the key path became observed.
    var isEvaluated: Bool { installedTicket > 0 }

    var isSettled: Bool { installedTicket == lastTicket }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    mutating func beginLooking(on thread: UInt) { evaluatingThreads.append(thread) }

    mutating func endLooking(on thread: UInt) { endEvaluating(on: thread) }

    private mutating func endEvaluating(on thread: UInt) {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
    }

    /// Records that a getter, called on this thread, has changed a dependency, so that the value may be outdated.
    mutating func disturb(on thread: UInt) { disturbedThreads.insert(thread) }

    /// Returns `true` if a getter that this thread evaluated has changed a dependency since the last call of this function.
    ///
    /// Then the evaluated value may be outdated.
    mutating func wasDisturbed(on thread: UInt) -> Bool { !disturbedThreads.isEmpty && disturbedThreads.remove(thread) != nil }

    // MARK: Evaluations

    /// Begins an evaluation on a thread, and gives the evaluation its serial number.
    ///
    /// `counts` is `false` if the key path is not observed. Then the evaluation adds no dependencies.
    mutating func begin(on thread: UInt, counts: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        if !counts { expiredTicket = lastTicket }
        return Start(ticket: lastTicket, version: version)
    }

    /// Finds the registration for a property that was read before, and marks the registration as still needed.
    ///
    /// `ticket` is the serial number of the evaluation that reads the property. Another thread may still be adding the registration to the
    /// property's observer list.
    mutating func known(_ read: Read, _ ticket: UInt64) -> ObservationInfo? {
        guard let index = dependencies.index(forKey: read), !dependencies.values[index].info.isOver else { return nil }
        if dependencies.values[index].lastRead < ticket { dependencies.values[index].lastRead = ticket }
        return dependencies.values[index].info
    }

    /// Returns `true` if the evaluation with this ticket (serial number) may still add dependencies.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    /// Adds a dependency, and returns the ended one that it replaces, if any, which the caller must release after unlocking.
    mutating func add(_ dependency: Dependency, _ read: Read, _ ticket: UInt64) -> Dependency? {
        var dependency = dependency
        dependency.lastRead = max(dependency.lastRead, ticket)
        version += 1
        return dependencies.updateValue(dependency, forKey: read)
    }

    /// Marks the dependencies in `reads` as still needed, so that the evaluation that began at `start` does not drop them.
    ///
    /// Returns `false` if the evaluation must be repeated: a dependency was added or dropped meanwhile, or an object was deallocated.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version && !isAnybodyGone(of: reads)
    }

    /// Ends an evaluation, and drops and returns the dependencies that are no longer read.
    ///
    /// `reads` is nil if nothing differs from the previous evaluation. The result is nil if the evaluation must be repeated.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.properties.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
        }
        // Until now, every evaluation read only the components of the key path, and all are observed properties. So manual notifications by
        // the objects along the key path could not matter, and were not followed. This evaluation read something else, perhaps in an
        // override of a property. Repeat it, and follow these notifications.
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

    /// Keeps all dependencies, because the newest evaluation has read the same properties as the one before.
    ///
    /// Returns `false` if the evaluation must be repeated, because it may have missed a change.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version || traceHasObjects && isAnybodyGone(of: trace) { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
    }

    /// Returns `true` if an object in `reads` was deallocated, so that a new object may have the same address.
    private func isAnybodyGone(of reads: [Read]) -> Bool {
        reads.contains { $0.property == Read.announcements && dependencies[$0]?.info.isOver ?? false }
    }

    private mutating func settleTrace() {
        for read in trace { _ = known(read, traceTicket) }
    }

    /// Removes and returns all dependencies when the key path is no longer observed.
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

    /// Stores which events the key path needs from its dependencies, such as calls before a change.
    ///
    /// Every dependency gets the flags `interest`. The key path's last property also gets `leafInterest`. Returns the registrations whose
    /// flags have changed, each with the flags before and after.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            if dependency.info.flags.contains(.onlyByHand) || read.property == Read.announcements { continue }
            let wanted = dependency.info.list.word == leaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    // MARK: Chains

    /// Stores the components of the key path; `chain` is empty if some are neither observed properties nor constants (`let`).
    ///
    /// If all components are known, the key path need no longer follow the manual notifications that the objects along it send. Returns the
    /// registrations for these notifications. The caller must end those registrations.
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
    /// For a property that was read, the address of the `ObservationRecord` of the property's owner.
    ///
    /// For an object that a getter returned, the address of the object, or zero for nil. For a manually notified key, the address of the
    /// key's observer list.
    let record: UInt
    /// The number that identifies a property in its class, or a special value if something else was read.
    let property: UInt

    /// The value of ``property`` if the `Read` stands for an object that a getter returned.
    ///
    /// The observed key path gets the manual notifications of that object.
    static let announcements = UInt.max - 1

    /// A separator in the list of an evaluation's reads (``DependencyTable/trace``).
    ///
    /// The list begins with the reads of the observed key path. The reads of each key path from `keyPathsForValuesAffectingValue(for:)`
    /// follow, with a separator before each and one after the last.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
