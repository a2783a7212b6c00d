internal import Synchronization

/// Records what an evaluation of an observed key path reads, and links the key path to each dependency before it is read.
///
/// Most evaluations read the same as the evaluation before, so the recorder compares each read with the present links in their order.
@usableFromInline
final class PathRecorder: AccessRecorder {
    // SAFETY: (of the unchecked exclusivity) one evaluation on one thread uses a recorder at a time, and what uses its variables runs no code of
    // the program meanwhile. The attribute saves 15 % of the instructions of a change of a computed value.

    private let path: Unretained<TrackedPath>
    /// The number of the evaluation.
    private(set) var evaluation: UInt64 = 0
    /// Says for which observers the path is followed; an evaluation for former ones links nothing.
    private(set) var activation: UInt64 = 0
    /// The newest serial number when the evaluation began; later observers are not called.
    @exclusivity(unchecked) @usableFromInline private(set) var limit: UInt64 = 0
    /// `true` if the value is kept as the old one of the next change.
    @exclusivity(unchecked) @usableFromInline private(set) var keepsLast = false
    /// The links in the order of this evaluation; nil while that is the order of the evaluation before.
    @exclusivity(unchecked) private var links: [Link]?
    /// The links by what is read, if there are more than `fewLinks`.
    private var known: [Read: Link] = [:]
    private static var fewLinks: Int { 16 }

    init(_ path: TrackedPath) {
        self.path = Unretained(path)
        super.init(path.subject)
    }

    private func withPath<Result>(_ body: (TrackedPath) -> Result) -> Result {
        // SAFETY: only the `TrackedPath` makes a recorder. The function that evaluates the key path keeps the `TrackedPath` alive
        // meanwhile.
        unsafe path.with(body)
    }

    /// Prepares the recorder for an evaluation.
    func begin(_ evaluation: UInt64, of activation: UInt64, expecting expected: [Link], limit: UInt64, keepsLast: Bool) {
        returnToRoot(withPath { $0.subject })
        (self.evaluation, self.activation) = (evaluation, activation)
        unsafe (self.limit, self.keepsLast) = (limit, keepsLast)
        unsafe (self.expected, expectedReads) = (expected, 0)
    }

    /// The property whose value is the result of the evaluation, if it is of one of the given types.
    func passed(_ types: (value: ObjectIdentifier, wrapped: ObjectIdentifier?)) -> Read {
        guard passed != .nothing, let link = unsafe links == nil ? expected[..<expectedReads].last : links?.last else { return .nothing }
        let events = link.withList { $0.events }
        return events == types.value || events == types.wrapped ? passed : .nothing
    }

    /// Ends the recording, and returns the links in the order of the reads; nil if they are those of the evaluation before.
    func takeLinks() -> [Link]? {
        if unsafe links == nil && expectedReads < expected.count { leaveExpectations() }
        unsafe expected = []
        if !known.isEmpty { known = [:] }
        return unsafe links.take()
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, atomic: AtomicCollection<Value>?
    ) {
        if isBeingDestroyed(owner) {
            lastRead = .nothing
            return
        }
        let record = owner.keyValueRegistrar.record(of: owner)
        let source = PropertyAccess.makeList(
            of: owner, property, isInherited: type(of: owner) != Owner.self, isAtomic: atomic != nil, keyPath: { keyPath() }, in: record)
        // Swift traps without naming the property if it is read during its mutation in place. So report the mistake first.
        Mistake.check(!source.isOpen.load(ordering: .relaxed), withPath { $0.whyItCannotBeRead(owner, source) })
        // It is one of the links if the recorder had not known the record before.
        lastRead = Read(record: Unretained(record).word, property: property)
        link(source, lastRead, in: record)
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        noteAccess()
        if isBeingDestroyed(owner) { return }
        // A getter may call `access(_:)` with the very key path that is being observed. A key path must not depend on itself.
        let isOwn = withPath { path in path.subject == Unretained(owner).erased && path.withList { $0.isAnnounced(by: keyPath) } }
        if isOwn { return withPath { $0.noteReport() } }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        (list.hook as? TrackedPath)?.noteReport()
        follow(list, in: record)
    }

    /// Makes the key path depend on a key, or on its manual notifications if it is no stored property.
    func follow(_ list: ObserverList, in record: ObservationRecord) {
        let word = Unretained(record).word
        let read = list.property == 0 ? Read(record: Unretained(list).word, property: .max) : Read(record: word, property: list.property)
        if !expects(read.record, read.property) { link(list, read, in: record) }
    }

    // MARK: Links

    override func isRead(_ read: Read) -> Bool {
        if unsafe expectedReads < expected.count && expected[expectedReads].read == read {
            if unsafe links != nil { unsafe append(expected[expectedReads]) }
            unsafe expectedReads += 1
            return true
        }
        leaveExpectations()
        // Nothing else uses `links` while a link is looked for: to compare reads runs no code of the program.
        if let place = unsafe expected.count <= Self.fewLinks ? expected.firstIndex(where: { $0.read == read }) : nil {
            unsafe append(expected[place])
            unsafe expectedReads = max(expectedReads, place + 1)
            return true
        }
        guard let link = link(to: read) else { return false }
        append(link)
        return true
    }

    private func link(to read: Read) -> Link? {
        let made = unsafe links ?? []
        if unsafe expected.count <= Self.fewLinks && made.count <= Self.fewLinks { return made.first { $0.read == read } }
        if known.isEmpty { for link in unsafe expected + made { known[link.read] = link } }
        return known[read]
    }

    private func append(_ link: Link) {
        link.lastRead = evaluation
        unsafe links?.append(link)
    }

    private func leaveExpectations() {
        if unsafe links != nil { return }
        unsafe links = []
        for link in unsafe expected[..<expectedReads] { append(link) }
    }

    private func link(_ list: ObserverList, _ read: Read, in record: ObservationRecord) {
        let isOfSubject = withPath { record.isRecord(of: $0.subject) }
        var flags: InfoFlags = read.property == .max ? .onlyByHand : []
        if isOfSubject { flags.insert(.ofSameSubject) }
        // A change of another object finds the observed object by a weak reference.
        if !isOfSubject { withPath { $0.formWeakReference() } }
        guard let link = withPath({ $0.link(list, read, flags, for: self) }) else { return }
        append(link)
        if !known.isEmpty { known[read] = link }
    }
}
