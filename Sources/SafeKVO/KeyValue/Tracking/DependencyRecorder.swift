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
    private var chain: DependencyTable.Chain?

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
    ///
    /// `isWhole` is `true` if the key path consists only of observed properties and constants (`let`). Otherwise, the recorder also follows
    /// the manual notifications of the objects that getters return.
    func begin(_ start: DependencyTable.Start, expecting expected: [Read], isWhole: Bool, isLast: Bool) {
        followsObjects = !isWhole
        returnToRoot(withPath { $0.subject })
        self.isLast = isLast
        self.start = start
        self.expected = expected
        expectedReads = 0
        withLog { $0.reads.removeAll(keepingCapacity: true) }
        isAsExpected = !expected.isEmpty
        isDoubtful = false
    }

    func keepNotes(for chain: DependencyTable.Chain) {
        self.chain = chain
        withLog { $0.notes = [] }
    }

    /// Returns all reads of the finished evaluation; nil if they are the same as in the previous evaluation.
    func unexpectedReads() -> [Read]? {
        if isAsExpected, expectedReads == expected.count { return nil }
        leaveExpectations()
        return withLog { $0.reads }
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        leaveExpectations()
        let read = withPath { $0.follow(owner, property: property, start.ticket, keyPath: { keyPath() }) }
        if let read { append(read) }
    }

    override func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {
        leaveExpectations()
        if let object {
            withPath { $0.followAnnouncements(of: object, start.ticket) }
            append(Read(record: Unretained(object as AnyObject).word, property: Read.announcements))
        } else if isNil {
            // Record also that the getter returned nil, as an object with the address zero. Otherwise, the next evaluation would not notice
            // that the property now returns an object.
            append(Read(record: 0, property: Read.announcements))
        }
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        noteAccess()
        if isBeingDestroyed(owner) { return }
        // A getter may call `access(_:)` with the very key path that is being observed. A key path must not depend on itself.
        let isOwn = withPath { path in path.subject == Unretained(owner).erased && path.withList { $0.isAnnounced(by: keyPath) } }
        if isOwn { return withPath { $0.noteOwnAccess() } }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        withPath { $0.beFoundBy(record) }
        follow(list, in: record)
    }

    /// `true` if each property was read from the object that the previous property returned, directly or through constants (`let`).
    var isChain: Bool { isChained || isChainOverConstants }

    private var isChainOverConstants: Bool {
        guard let chain, let notes = withLog({ $0.notes }), notes.count == chain.constants.count else { return false }
        let properties = isAsExpected ? expected[..<expectedReads].map(\.property) : withLog { $0.reads.map(\.property) }
        if properties != chain.properties { return false }
        return notes.indices.allSatisfy { index in
            let start = index == 0 ? withPath { $0.subject.word } : notes[index - 1].value
            // `chain.constants` contains the offsets of the constants (`let`) that lead from the object at `start` to the next property's
            // owner. The object is the root, or comes from the same property as when the offsets were found. So the offsets fit its class.
            return ReferenceField.follow(chain.constants[index], from: start) == notes[index].owner
        }
    }

    private func append(_ read: Read) { withLog { $0.reads.append(read) } }

    private func leaveExpectations() {
        guard isAsExpected else { return }
        isAsExpected = false
        let reads = Array(expected[..<expectedReads])
        withLog { $0.reads = reads }
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
