/// Records what an evaluation of an observed key path reads, and registers the key path with each property.
///
/// Most evaluations read the same as the evaluation before. So the recorder stores reads only after the first difference.
@usableFromInline
final class DependencyRecorder: AccessRecorder {
    private let path: Unretained<TrackedPath>
    private(set) var start = DependencyTable.Start(ticket: 0, version: 0)
    private var isAsExpected = true
    /// `true` if this evaluation may have missed a change and must be repeated.
    private(set) var isDoubtful = false
    /// `true` to accept the result even if the getter sets a property that it reads.
    ///
    /// Otherwise, a getter that always sets such a property would be evaluated endlessly.
    private(set) var isLast = false

    init(_ path: TrackedPath) {
        self.path = Unretained(path)
        super.init(path.subject)
    }

    private func withPath<Result>(_ body: (TrackedPath) -> Result) -> Result {
        // SAFETY: only the `TrackedPath` makes a recorder. The function that evaluates the key path keeps the `TrackedPath` alive
        // meanwhile.
        unsafe path.with(body)
    }

    /// Prepares the recorder for an evaluation of the key path.
    func begin(_ start: DependencyTable.Start, expecting expected: [Read], isLast: Bool) {
        returnToRoot(withPath { $0.subject })
        self.isLast = isLast
        self.start = start
        self.expected = expected
        expectedReads = 0
        withReads { $0.removeAll(keepingCapacity: true) }
        isAsExpected = !expected.isEmpty
        isDoubtful = false
    }

    /// Returns all reads of the finished evaluation; nil if they are the same as in the previous evaluation.
    func unexpectedReads() -> [Read]? {
        if isAsExpected, expectedReads == expected.count { return nil }
        leaveExpectations()
        return withReads { $0 }
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, atomic: CollectionProperty<Value>?
    ) {
        leaveExpectations()
        let read = withPath { $0.follow(owner, property: property, isAtomic: atomic != nil, start.ticket, keyPath: { keyPath() }) }
        lastRead = read ?? .nothing
        if let read { append(read) }
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
        withPath { $0.beFoundBy(record) }
        follow(list, in: record)
    }

    private func append(_ read: Read) { withReads { $0.append(read) } }

    private func leaveExpectations() {
        guard isAsExpected else { return }
        isAsExpected = false
        let reads = Array(expected[..<expectedReads])
        withReads { $0 = reads }
        expected = []
        isDoubtful = withPath { !$0.confirm(reads, start) }
    }

    func noteNextDeclared() {
        if expects(Read.nextDeclared.record, Read.nextDeclared.property) { return }
        leaveExpectations()
        append(.nextDeclared)
    }

    /// Makes the observed key path depend on the manual notifications of another key.
    func follow(_ list: ObserverList) {
        follow(list, Read(record: Unretained(list).word, property: .max), .onlyByHand)
    }

    func follow(_ list: ObserverList, in record: ObservationRecord) {
        if list.property == 0 { return follow(list) }
        let isOfSubject = withPath { record.isRecord(of: $0.subject) }
        follow(list, Read(record: Unretained(record).word, property: list.property), isOfSubject ? .ofSameSubject : [])
    }

    private func follow(_ list: ObserverList, _ read: Read, _ flags: InfoFlags) {
        if expects(read.record, read.property) { return }
        leaveExpectations()
        if withPath({ $0.follow(list, read, flags, start.ticket) }) { append(read) }
    }
}
