/// What a tracked path depends on, and which of its evaluations counts: a pure table without locks or calls.
///
/// Each evaluation takes a ticket when it begins. What it reads is in the table, and linked, before it is read, so no change can slip
/// between; what no evaluation has read since the newest finished one began goes. The evaluation that began last saw the last write, so in
/// the end exactly the present dependencies are left.
struct DependencyTable {
    /// What an evaluation begins with.
    struct Start {
        let ticket: UInt64
        /// What the newest evaluation read.
        let expected: [Read]
        /// Changes whenever a dependency comes or goes.
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The list of the last hop, if the key path is a chain and nothing but its last hop reads that; else zero.
    private(set) var leaf: UInt = 0
    /// The properties of the hops, if the key path is exactly a chain of them.
    private(set) var chain: [UInt] = []
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// Evaluations with tickets up to this one began before the path was last at rest, and count for nothing.
    private var expiredTicket: UInt64 = 0
    private var version: UInt64 = 0
    /// What the newest evaluation read, in order.
    private var trace: [Read] = []
    /// The threads that are evaluating.
    ///
    /// A getter that sets what it depends on must not evaluate itself without end.
    private var evaluatingThreads: [UInt] = []

    private static let longestTrace = 4096

    /// Whether an evaluation was finished since the path was last at rest.
    var isEvaluated: Bool { installedTicket > 0 }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    // MARK: Evaluations

    /// Begins an evaluation; a thorough one expects nothing.
    mutating func begin(on thread: UInt, isThorough: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        return Start(ticket: lastTicket, expected: isThorough ? [] : trace, version: version)
    }

    /// Whether what was read is a dependency already; then it counts as read.
    mutating func isKnown(_ read: Read, _ ticket: UInt64) -> Bool {
        guard let known = dependencies[read], !known.info.isOver else { return false }
        dependencies[read]?.lastRead = max(known.lastRead, ticket)
        return true
    }

    /// Whether what an evaluation reads may still become a dependency.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    mutating func add(_ info: ObservationInfo, _ read: Read, _ ticket: UInt64) {
        dependencies[read] = Dependency(info: info, lastRead: ticket)
        version += 1
    }

    /// Counts the first reads of an evaluation, which were as expected, as read.
    ///
    /// - Returns: false if a dependency has come or gone meanwhile.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = isKnown(read, start.ticket) }
        return version == start.version
    }

    /// Ends an evaluation.
    ///
    /// - Parameters:
    ///   - reads: What was read; nil if it is what was expected.
    ///   - start: What it began with.
    ///   - thread: Where it ran.
    ///   - canBeChain: Whether nothing but what was read counts.
    /// - Returns: what is no dependency any more; nil if it must be done again, because what it expected to be followed was not.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
        guard counts(start.ticket) else { return [] }
        guard let reads else { return confirmAll(start) ? [] : nil }
        if installedTicket <= start.ticket {
            installedTicket = start.ticket
            trace = reads.count > Self.longestTrace ? [] : reads
            if canBeChain { findLeaf() }
        }
        let stale = dependencies.filter { $0.value.lastRead < installedTicket }
        if stale.isEmpty { return [] }
        version += 1
        for key in stale.keys { dependencies[key] = nil }
        return Array(stale.values)
    }

    /// Ends an evaluation that read exactly what the one before did.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version { return false }
        if installedTicket < start.ticket {
            installedTicket = start.ticket
            for read in trace { dependencies[read]?.lastRead = start.ticket }
        }
        return true
    }

    /// Comes to rest.
    ///
    /// - Returns: all that was a dependency.
    mutating func rest() -> [Dependency] {
        let all = Array(dependencies.values)
        dependencies = [:]
        version += 1
        trace = []
        leaf = 0
        installedTicket = 0
        expiredTicket = lastTicket
        return all
    }

    /// Gives a dependency an info that hears it before it changes.
    mutating func setPriorInfo(_ info: ObservationInfo, of read: Read) {
        dependencies[read]?.priorInfo = info
    }

    // MARK: Chains

    /// Says that the key path is exactly a chain of observed properties, as its first evaluation showed.
    mutating func recognise(_ chain: [UInt]) {
        self.chain = chain
        findLeaf()
    }

    private mutating func findLeaf() {
        leaf = 0
        guard !chain.isEmpty, trace.count == chain.count, let last = trace.last else { return }
        guard zip(trace, chain).allSatisfy({ $0.property == $1 }), trace.firstIndex(of: last) == trace.count - 1 else { return }
        leaf = dependencies[last]?.info.list.word ?? 0
    }
}
