/// What a tracked path depends on, and which of its evaluations counts: a pure table without locks or calls.
///
/// Each evaluation takes a ticket when it begins. What it reads is in the table, and linked, before it is read, so no change can slip
/// between; what no evaluation has read since the newest finished one began goes. The evaluation that began last saw the last write, so in
/// the end exactly the present dependencies are left.
struct DependencyTable: ~Copyable {
    /// What an evaluation begins with.
    struct Start {
        let ticket: UInt64
        /// Changes whenever a dependency comes or goes.
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The list of the last hop, if the key path is a chain and nothing but its last hop reads that; else zero.
    private(set) var leaf: UInt = 0
    /// The key path, if it is exactly a chain.
    struct Chain {
        /// The properties of the hops.
        var properties: [UInt] = []
        /// The offsets of the constants that lead from the value of one hop to the owner of the next, for each hop; empty if there are none.
        var constants: [[UInt]] = []
        /// `true` if there are any.
        var hasConstants = false
        /// `true` if every hop was read, so that nothing on the way is hidden.
        var isWhole = false
    }

    private(set) var chain = Chain()
    /// Whether somebody has looked whether it is.
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// Evaluations with tickets up to this one began before the path was last at rest, and count for nothing.
    private var expiredTicket: UInt64 = 0
    private var version: UInt64 = 0
    /// What the newest evaluation read, in order.
    private(set) var trace: [Read] = [] {
        didSet { traceHasObjects = trace.contains { $0.property == Read.announcements } }
    }
    /// `true` if it read objects whose announcements are followed.
    private var traceHasObjects = false
    /// The newest evaluation that read exactly that; the dependencies are told when it matters.
    private var traceTicket: UInt64 = 0
    /// The threads that are evaluating.
    ///
    /// A getter that sets what it depends on must not evaluate itself without end.
    private var evaluatingThreads: [UInt] = []
    /// Those on which something has changed meanwhile.
    private var disturbedThreads: Set<UInt> = []

    private static let longestTrace = 4096

    /// Whether an evaluation was finished since the path was last at rest.
    var isEvaluated: Bool { installedTicket > 0 }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    /// Says that a thread is evaluating without following what is read.
    mutating func beginLooking(on thread: UInt) { evaluatingThreads.append(thread) }

    /// Says that it is done.
    mutating func endLooking(on thread: UInt) { endEvaluating(on: thread) }

    private mutating func endEvaluating(on thread: UInt) {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
    }

    /// Takes note that a dependency has changed while a thread is evaluating, perhaps after it was read.
    mutating func disturb(on thread: UInt) { disturbedThreads.insert(thread) }

    /// Whether that was so, asked at the end of an evaluation.
    mutating func wasDisturbed(on thread: UInt) -> Bool { !disturbedThreads.isEmpty && disturbedThreads.remove(thread) != nil }

    // MARK: Evaluations

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - thread: Where it runs.
    ///   - counts: Whether anybody is interested; if not, it counts for nothing.
    /// - Returns: what it begins with.
    mutating func begin(on thread: UInt, counts: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        if !counts { expiredTicket = lastTicket }
        return Start(ticket: lastTicket, version: version)
    }

    /// The info that follows what was read, if it is a dependency already; then it counts as read.
    ///
    /// Another thread may be about to link it.
    mutating func known(_ read: Read, _ ticket: UInt64) -> ObservationInfo? {
        guard let known = dependencies[read], !known.info.isOver else { return nil }
        dependencies[read]?.lastRead = max(known.lastRead, ticket)
        return known.info
    }

    /// Whether what an evaluation reads may still become a dependency.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    mutating func add(_ dependency: Dependency, _ read: Read, _ ticket: UInt64) {
        var dependency = dependency
        dependency.lastRead = max(dependency.lastRead, ticket)
        dependencies[read] = dependency
        version += 1
    }

    /// Counts the first reads of an evaluation, which were as expected, as read.
    ///
    /// - Returns: false if a dependency has come or gone meanwhile.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version && !isAnybodyGone(of: reads)
    }

    /// Ends an evaluation.
    ///
    /// - Parameters:
    ///   - reads: What was read; nil if it is what was expected.
    ///   - start: What it began with.
    ///   - thread: Where it ran.
    ///   - canBeChain: `true` if nothing but what was read counts, and each property was read of the object that the read before returned.
    /// - Returns: what is no dependency any more; nil if it must be done again, because what it expected to be followed was not.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.properties.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
        }
        // An override reads something else than the property: what is hidden behind that must be followed.
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
        let stale = dependencies.filter { $0.value.lastRead < installedTicket }
        if stale.isEmpty { return [] }
        version += 1
        for key in stale.keys { dependencies[key] = nil }
        return Array(stale.values)
    }

    /// Ends an evaluation that read exactly what the one before did.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version || traceHasObjects && isAnybodyGone(of: trace) { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
    }

    /// `true` if an object that was read has been deallocated since, so that what is at its address now may be another one.
    private func isAnybodyGone(of reads: [Read]) -> Bool {
        reads.contains { $0.property == Read.announcements && dependencies[$0]?.info.isOver ?? false }
    }

    /// Notes in the dependencies what was only known of the whole trace.
    private mutating func settleTrace() {
        for read in trace { _ = known(read, traceTicket) }
    }

    /// Comes to rest.
    ///
    /// - Returns: all that was a dependency.
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

    /// Says what the lists of the dependencies are to count as asked for.
    ///
    /// - Parameters:
    ///   - interest: In each.
    ///   - leafInterest: In the last hop of a chain besides.
    /// - Returns: what has changed: the infos in the lists, and what is no longer and what is newly asked for there.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            // What is announced by hand is announced to those who depend on it in any case.
            if dependency.info.flags.contains(.onlyByHand) || read.property == Read.announcements { continue }
            let wanted = dependency.info.list.word == leaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    // MARK: Chains

    /// Says what the key path is, as its first evaluation showed.
    ///
    /// - Returns: the announcements of objects that a chain need not follow, because it hears every property on the way.
    mutating func recognise(_ chain: Chain) -> [Dependency] {
        self.chain = chain
        isExamined = true
        if !chain.isWhole { return [] }
        let announcements = dependencies.filter { $0.key.property == Read.announcements }
        if !announcements.isEmpty { version += 1 }
        for read in announcements.keys { dependencies[read] = nil }
        trace.removeAll { $0.property == Read.announcements }
        findLeaf(if: true)
        return Array(announcements.values)
    }

    private mutating func findLeaf(if canBeChain: Bool) {
        leaf = 0
        let properties = chain.properties
        guard canBeChain, !properties.isEmpty, trace.count == properties.count, let last = trace.last else { return }
        guard zip(trace, properties).allSatisfy({ $0.property == $1 }), trace.firstIndex(of: last) == trace.count - 1 else { return }
        leaf = dependencies[last]?.info.list.word ?? 0
    }
}

/// What an evaluation read: a property of an object, or an object itself.
struct Read: Hashable {
    /// What identifies the owner of the property: its record, which outlives it as long as anybody refers to this.
    ///
    /// Of an object that was read, this is its address, or zero if there was none.
    let record: UInt
    /// What identifies the property among those of the object's class, or what is announced by hand.
    let property: UInt

    /// What stands for a property where an object was read, and announcements of the object are followed.
    static let announcements = UInt.max - 1

    /// What stands between what the key path reads and what each declared one reads.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
