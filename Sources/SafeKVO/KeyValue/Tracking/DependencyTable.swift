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
    /// The numbers of the observed properties (usually their offsets) of which the key path consists; empty for any other key path.
    private(set) var chain: [UInt] = []
    /// The property whose value the newest evaluation returned; ``Read/nothing`` if the evaluation returned another value.
    ///
    /// If that is so before and after a change of the property, the change of the key path's value is exactly that change.
    private(set) var passed = Read.nothing
    private(set) var isExamined = false
    private(set) var lastTicket: UInt64 = 0
    private var installedTicket: UInt64 = 0
    private var expiredTicket: UInt64 = 0
    /// A number that changes whenever a dependency is added or dropped.
    private(set) var version: UInt64 = 0
    /// The reads of the newest finished evaluation, in order; empty if there are too many.
    private(set) var trace: [Read] = []
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
    /// Returns `false` if the evaluation must be repeated, because a dependency was added or dropped meanwhile.
    mutating func confirm(_ reads: [Read], _ start: Start) -> Bool {
        for read in reads { _ = known(read, start.ticket) }
        return version == start.version
    }

    /// Ends an evaluation, and drops and returns the dependencies that are no longer read.
    ///
    /// `reads` is nil if nothing differs from the previous evaluation. The result is nil if the evaluation must be repeated.
    mutating func install(_ reads: [Read]?, _ start: Start, on thread: UInt, canBeChain: Bool) -> [Dependency]? {
        endEvaluating(on: thread)
        guard counts(start.ticket) else { return [] }
        guard let reads else {
            guard confirmAll(start) else { return nil }
            if !chain.isEmpty, installedTicket == start.ticket { findLeaf(if: canBeChain) }
            return []
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
        if version != start.version { return false }
        installedTicket = max(installedTicket, start.ticket)
        traceTicket = max(traceTicket, start.ticket)
        return true
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
        passed = .nothing
        installedTicket = 0
        expiredTicket = lastTicket
        return all
    }

    /// Stores which events the key path needs from its dependencies, such as calls before a change.
    ///
    /// Every dependency gets the flags `interest`. The property whose events contain the key path's value also gets `leafInterest`. Returns
    /// the registrations whose flags have changed, each with the flags before and after.
    mutating func ask(
        for interest: InfoFlags, ofLeaf leafInterest: InfoFlags
    ) -> [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] {
        var changes: [(info: ObservationInfo, before: InfoFlags, after: InfoFlags)] = []
        for (read, dependency) in dependencies {
            if dependency.info.flags.contains(.onlyByHand) { continue }
            let isLeaf = leaf == 0 ? read == passed : dependency.info.list.word == leaf
            let wanted = isLeaf ? interest.union(leafInterest) : interest
            if wanted == dependency.interest { continue }
            changes.append((dependency.info, dependency.interest, wanted))
            dependencies[read]?.interest = wanted
        }
        return changes
    }

    /// Stores the property whose value an evaluation returned; returns `true` if that is another one than before.
    @inline(__always)
    mutating func notePassed(_ read: Read, _ start: Start) -> Bool {
        if read == passed || start.ticket < installedTicket { return false }
        passed = read
        return true
    }

    // MARK: Chains

    /// Stores the components of the key path; `chain` is empty if some are no observed properties.
    mutating func recognise(_ chain: [UInt]) {
        self.chain = chain
        isExamined = true
        if !chain.isEmpty { findLeaf(if: true) }
    }

    private mutating func findLeaf(if canBeChain: Bool) {
        leaf = 0
        guard canBeChain, !chain.isEmpty, trace.count == chain.count, let last = trace.last else { return }
        guard zip(trace, chain).allSatisfy({ $0.property == $1 }), trace.firstIndex(of: last) == trace.count - 1 else { return }
        leaf = dependencies[last]?.info.list.word ?? 0
    }
}

/// Something that an evaluation of a key path has read: a property or a manually notified key.
struct Read: Hashable {
    /// For a property that was read, the address of the `ObservationRecord` of the property's owner.
    ///
    /// For a manually notified key, the address of the key's observer list.
    let record: UInt
    /// The number that identifies a property in its class, or a special value if something else was read.
    let property: UInt

    static let nothing = Read(record: 0, property: 0)

    /// A separator in the list of an evaluation's reads (``DependencyTable/trace``).
    ///
    /// The list begins with the reads of the observed key path. The reads of each key path from `keyPathsForValuesAffectingValue(for:)`
    /// follow, with a separator before each and one after the last.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}

extension Read {
    /// A read of the property that a list belongs to.
    init(of list: ObserverList) { self.init(record: list.recordWord, property: list.property) }
}
