/// The dependencies of a tracked path, which follows a key path whose value depends on observed properties.
///
/// The lock of the tracked path guards the table.
///
/// Two threads may evaluate the key path at once and read different properties. So each evaluation takes a ticket, which is a serial
/// number. Each property is added to the table and followed before it is read, so that no change is missed. At its end, an evaluation drops
/// the dependencies that neither it nor an evaluation with a greater ticket has read. The evaluation with the greatest ticket has seen the
/// last write. So in the end, only its reads are left.
struct DependencyTable: ~Copyable {
    /// The ticket (serial number) of an evaluation, and the version of the table when the evaluation began.
    struct Start {
        let ticket: UInt64
        /// A number that changes whenever a dependency is added or dropped.
        let version: UInt64
    }

    private(set) var dependencies: [Read: Dependency] = [:]
    /// The address of the last property's observer list, if the key path is a ``Chain``; otherwise zero.
    ///
    /// It is also zero if the key path reads that property twice.
    private(set) var leaf: UInt = 0
    /// The components of a key path that consists only of observed properties and constants (`let`).
    ///
    /// The list of properties is empty if the key path is something else.
    struct Chain {
        /// The numbers that identify the observed properties in their owners, in order.
        var properties: [UInt] = []
        /// For each property, the offsets of the constants that lead to it from the previous property; empty if there are no constants.
        var constants: [[UInt]] = []
        var hasConstants = false
        /// `true` if an evaluation reads exactly the properties of the chain, so that no other object is involved.
        var isWhole = false
    }

    private(set) var chain = Chain()
    /// `true` once it is known whether the key path consists only of properties and constants (`let`).
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    /// The greatest ticket (serial number) of an evaluation during which the tracked path was or became inactive.
    ///
    /// Such an evaluation adds no dependencies.
    private var expiredTicket: UInt64 = 0
    /// A number that changes whenever a dependency is added or dropped.
    private(set) var version: UInt64 = 0
    /// The reads of the newest finished evaluation, in order: properties and objects.
    private(set) var trace: [Read] = [] {
        didSet { traceHasObjects = trace.contains { $0.property == Read.announcements } }
    }
    private var traceHasObjects = false
    /// The ticket of the newest evaluation that made exactly the reads in `trace`.
    ///
    /// The dependencies get it only just before the table drops those that were not read.
    private var traceTicket: UInt64 = 0
    /// The threads that are evaluating the key path.
    ///
    /// A getter may set a property that it reads. Without this list, that change would start another evaluation on the thread, without end.
    private var evaluatingThreads: [UInt] = []
    /// The threads on which a dependency has changed while they were evaluating the key path.
    private var disturbedThreads: Set<UInt> = []

    private static let longestTrace = 4096

    /// `true` if an evaluation has finished since the tracked path became active.
    var isEvaluated: Bool { installedTicket > 0 }

    /// `true` if the newest evaluation that has begun is also the newest that has finished.
    var isSettled: Bool { installedTicket == lastTicket }

    func isEvaluating(on thread: UInt) -> Bool { evaluatingThreads.contains(thread) }

    /// Notes that a thread begins an evaluation that does not record its reads.
    mutating func beginLooking(on thread: UInt) { evaluatingThreads.append(thread) }

    mutating func endLooking(on thread: UInt) { endEvaluating(on: thread) }

    private mutating func endEvaluating(on thread: UInt) {
        if let index = evaluatingThreads.lastIndex(of: thread) { evaluatingThreads.remove(at: index) }
    }

    /// Notes that a dependency has changed while a thread evaluates the key path.
    ///
    /// The evaluation may have read the dependency before that change.
    mutating func disturb(on thread: UInt) { disturbedThreads.insert(thread) }

    /// Returns `true` if ``disturb(on:)`` was called during the evaluation on a thread, and removes that note.
    mutating func wasDisturbed(on thread: UInt) -> Bool { !disturbedThreads.isEmpty && disturbedThreads.remove(thread) != nil }

    // MARK: Evaluations

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - thread: The thread of the evaluation.
    ///   - counts: `true` if the tracked path is active. If not, the evaluation adds no dependencies.
    /// - Returns: The ticket of the evaluation, and the version of the table.
    mutating func begin(on thread: UInt, counts: Bool) -> Start {
        lastTicket += 1
        evaluatingThreads.append(thread)
        if !counts { expiredTicket = lastTicket }
        return Start(ticket: lastTicket, version: version)
    }

    /// Returns the registration that follows a property or object, or nil if there is none, and marks it as read by the evaluation `ticket`.
    ///
    /// Another thread may have added the registration to this table, but not yet to the observer list.
    mutating func known(_ read: Read, _ ticket: UInt64) -> ObservationInfo? {
        guard let index = dependencies.index(forKey: read), !dependencies.values[index].info.isOver else { return nil }
        if dependencies.values[index].lastRead < ticket { dependencies.values[index].lastRead = ticket }
        return dependencies.values[index].info
    }

    /// Returns `true` if the evaluation with this ticket may still add dependencies.
    func counts(_ ticket: UInt64) -> Bool { ticket > expiredTicket }

    mutating func add(_ dependency: Dependency, _ read: Read, _ ticket: UInt64) {
        var dependency = dependency
        dependency.lastRead = max(dependency.lastRead, ticket)
        dependencies[read] = dependency
        version += 1
    }

    /// Marks the dependencies in `reads` as read by the evaluation `start`.
    ///
    /// - Returns: `false` if a dependency was added or dropped since the evaluation began, or if an object that was read was deallocated.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version && !isAnybodyGone(of: reads)
    }

    /// Ends an evaluation, and drops the dependencies that neither it nor a later one has read.
    ///
    /// - Parameters:
    ///   - reads: The reads of the evaluation; nil if they are exactly the expected ones.
    ///   - start: The ticket of the evaluation, and the version of the table at its beginning.
    ///   - thread: The thread of the evaluation.
    ///   - canBeChain: `true` if the reads form a chain and no other dependencies are followed.
    /// - Returns: The dropped dependencies; nil if the evaluation must be repeated, because it may have missed a dependency.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.properties.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
        }
        // The reads are not those of the chain, for example because a subclass overrides a property. The override may hide components. So
        // the next evaluation also follows the manual notifications of the objects that are read.
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

    /// Ends an evaluation that made exactly the expected reads; returns `false` if it must be repeated.
    private mutating func confirmAll(_ start: Start) -> Bool {
        if version != start.version || traceHasObjects && isAnybodyGone(of: trace) { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
    }

    /// Returns `true` if an object that was read has been deallocated since.
    ///
    /// A new object may then have its address.
    private func isAnybodyGone(of reads: [Read]) -> Bool {
        reads.contains { $0.property == Read.announcements && dependencies[$0]?.info.isOver ?? false }
    }

    private mutating func settleTrace() {
        for read in trace { _ = known(read, traceTicket) }
    }

    /// Removes and returns all dependencies, because the tracked path becomes inactive.
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

    /// Updates the tracked path's requests to its dependencies, such as old values or calls before a change.
    ///
    /// - Parameters:
    ///   - interest: The requests to each dependency.
    ///   - leafInterest: More requests to the last property of a chain.
    /// - Returns: The registrations whose requests have changed, each with the requests before and after.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            // Nothing is requested from a dependency that only sends manual notifications: these always reach the tracked path.
            if dependency.info.flags.contains(.onlyByHand) || read.property == Read.announcements { continue }
            let wanted = dependency.info.list.word == leaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    // MARK: Chains

    /// Stores whether the key path is a chain, which consists only of properties and constants (`let`).
    ///
    /// - Parameter chain: The components of the chain; empty if the key path is none.
    /// - Returns: The dropped dependencies. A chain follows each of its properties, so it does not follow manual notifications of the
    ///   objects.
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

/// One read of an evaluation: a property of an object, or an object itself.
struct Read: Hashable {
    /// An address, which depends on the kind of the read.
    ///
    /// - A property: the address of its owner's record, which holds the owner's observer lists.
    /// - An object: its address, or zero for nil.
    /// - A manually notified key: the address of its observer list.
    let record: UInt
    /// The number that identifies the property in its owner, or a constant that stands for manual notifications.
    let property: UInt

    /// The value of ``property`` if an object was read, whose manual notifications are followed.
    static let announcements = UInt.max - 1

    /// A separator: the reads of the key path come before it, and those of the next declared key path after it.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
