/// The dependencies of a tracked path, which follows a key path whose value depends on observed properties.
///
/// The table also decides which of several evaluations counts. It takes no locks and calls no other code.
///
/// Two threads may evaluate a key path at once and read different properties. So each evaluation takes a ticket, a number that grows with
/// each evaluation. A property is put into the table and linked before it is read, so that no change is missed. At the end of an
/// evaluation, the table drops each dependency that neither this evaluation nor a later one has read. The evaluation that began last has
/// seen the last write. So in the end, exactly the present dependencies are left.
struct DependencyTable: ~Copyable {
    /// The ticket of an evaluation, and the version of the table at its beginning.
    struct Start {
        let ticket: UInt64
        /// A number that changes whenever a dependency is added or dropped.
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The address of the observer list of the key path's last property, if the key path is a chain; otherwise zero.
    ///
    /// A chain is a key path that consists of observed properties, with or without constants in between. The value is also zero if the key
    /// path reads its last property earlier, too.
    private(set) var leaf: UInt = 0
    /// A key path that consists of observed properties, with or without constants (`let`) in between.
    ///
    /// It has no properties if the key path is something else.
    struct Chain {
        /// The identities of the observed properties, in order.
        var properties: [UInt] = []
        /// For each property, the offsets of the constants between the previous property and this one; empty if there are no constants.
        var constants: [[UInt]] = []
        /// `true` if the chain contains constants.
        var hasConstants = false
        /// `true` if each component is a constant or a property that was read, so that no component is hidden.
        var isWhole = false
    }

    private(set) var chain = Chain()
    /// `true` once it is known whether the key path is a chain.
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// The ticket up to which evaluations do not count, because the tracked path has been inactive since they began.
    private var expiredTicket: UInt64 = 0
    private var version: UInt64 = 0
    /// The reads of the newest evaluation, in order: properties and objects.
    private(set) var trace: [Read] = [] {
        didSet { traceHasObjects = trace.contains { $0.property == Read.announcements } }
    }
    /// `true` if the trace contains objects whose manual notifications are followed.
    private var traceHasObjects = false
    /// The ticket of the newest evaluation whose reads are equal to `trace`.
    ///
    /// It is copied to the dependencies only when that matters.
    private var traceTicket: UInt64 = 0
    /// The threads that are evaluating the key path.
    ///
    /// A getter may set a property on which it depends. Without this list, it would evaluate itself without end.
    private var evaluatingThreads: [UInt] = []
    /// The threads that are evaluating the key path and on which a dependency has changed meanwhile.
    private var disturbedThreads: Set<UInt> = []

    private static let longestTrace = 4096

    /// `true` if an evaluation has ended since the tracked path was last inactive.
    var isEvaluated: Bool { installedTicket > 0 }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    /// Notes that a thread begins an evaluation whose reads are not followed.
    mutating func beginLooking(on thread: UInt) { evaluatingThreads.append(thread) }

    /// Notes that a thread has ended an evaluation whose reads are not followed.
    mutating func endLooking(on thread: UInt) { endEvaluating(on: thread) }

    private mutating func endEvaluating(on thread: UInt) {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
    }

    /// Notes that a dependency has changed during the evaluation on a thread, which may have read it before.
    mutating func disturb(on thread: UInt) { disturbedThreads.insert(thread) }

    /// Returns `true` if a dependency has changed during the evaluation that ends on a thread, and forgets that.
    mutating func wasDisturbed(on thread: UInt) -> Bool { !disturbedThreads.isEmpty && disturbedThreads.remove(thread) != nil }

    // MARK: Evaluations

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - thread: The thread of the evaluation.
    ///   - counts: `true` if the tracked path is active. If not, the evaluation adds no dependencies.
    /// - Returns: The ticket of the evaluation and the present version.
    mutating func begin(on thread: UInt, counts: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        if !counts { expiredTicket = lastTicket }
        return Start(ticket: lastTicket, version: version)
    }

    /// Returns the info that follows a property or object, if the table has one, and marks it as read by the evaluation with this ticket.
    ///
    /// Another thread may have added the info and not linked it yet.
    mutating func known(_ read: Read, _ ticket: UInt64) -> ObservationInfo? {
        guard let known = dependencies[read], !known.info.isOver else { return nil }
        dependencies[read]?.lastRead = max(known.lastRead, ticket)
        return known.info
    }

    /// Returns `true` if the evaluation with this ticket may still add dependencies.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    mutating func add(_ dependency: Dependency, _ read: Read, _ ticket: UInt64) {
        var dependency = dependency
        dependency.lastRead = max(dependency.lastRead, ticket)
        dependencies[read] = dependency
        version += 1
    }

    /// Marks dependencies as read by an evaluation, which has read them as expected.
    ///
    /// - Returns: `false` if a dependency was added or dropped meanwhile, or if an object that was read was deallocated.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version && !isAnybodyGone(of: reads)
    }

    /// Ends an evaluation.
    ///
    /// - Parameters:
    ///   - reads: The reads of the evaluation; nil if they are the expected ones.
    ///   - start: The ticket of the evaluation and the version at its beginning.
    ///   - thread: The thread of the evaluation.
    ///   - canBeChain: `true` if there are no other dependencies, and each property belongs to the object that the previous read returned.
    /// - Returns: The dropped dependencies; nil if the evaluation must be repeated, because an expected dependency was not followed.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.properties.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
        }
        // The reads differ from those of the chain, for example because an override takes the place of a property. The override may hide
        // components. So the next evaluation also follows the objects that are read.
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

    /// Ends an evaluation that made exactly the expected reads.
    ///
    /// The result is `false` if the evaluation must be repeated.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version || traceHasObjects && isAnybodyGone(of: trace) { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
    }

    /// Returns `true` if an object that was read has been deallocated since.
    ///
    /// Another object may then have its address.
    private func isAnybodyGone(of reads: [Read]) -> Bool {
        reads.contains { $0.property == Read.announcements && dependencies[$0]?.info.isOver ?? false }
    }

    /// Copies the ticket of the newest evaluation to the dependencies that it read.
    private mutating func settleTrace() {
        for read in trace { _ = known(read, traceTicket) }
    }

    /// Removes all dependencies, because the tracked path becomes inactive.
    ///
    /// - Returns: The removed dependencies.
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

    /// Updates what the tracked path requests from the observer lists of its dependencies, such as old values or calls before a change.
    ///
    /// - Parameters:
    ///   - interest: The flags for each list.
    ///   - leafInterest: Additional flags for the list of the key path's last property.
    /// - Returns: The infos whose flags have changed, each with the flags before and after.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            // Manual notifications reach dependent tracked paths in any case. So nothing is requested for them.
            if dependency.info.flags.contains(.onlyByHand) || read.property == Read.announcements { continue }
            let wanted = dependency.info.list.word == leaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    // MARK: Chains

    /// Stores whether the key path is a chain, as its first evaluation showed.
    ///
    /// - Returns: The dropped dependencies. A chain follows each of its properties, so it needs no manual notifications of the objects.
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

/// One read of an evaluation: a property of an object, or an object itself.
struct Read: Hashable {
    /// The address of the record of the property's owner.
    ///
    /// A record holds the observer lists of one object, and outlives the object while a dependency refers to it.
    ///
    /// For an object that was read, this is the address of the object itself, or zero for nil. For manual notifications of one key, it is
    /// the address of the key's observer list.
    let record: UInt
    /// The identity of the property in its owner, or a number that stands for manual notifications.
    let property: UInt

    /// The value of `property` for an object that was read and whose manual notifications are followed.
    static let announcements = UInt.max - 1

    /// A separator between the reads of the key path and those of each declared key path.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
