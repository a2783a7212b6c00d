/// Records what an evaluation of an observed key path reads, and registers the key path with each property.
///
/// Most evaluations read the same as the evaluation before. So the recorder stores reads only after the first difference.
@usableFromInline
final class DependencyRecorder: AccessRecorder {
    // SAFETY: the function that evaluates the key path keeps the `TrackedPath` alive while the recorder is in use.
    private let path: Unretained<TrackedPath>
    private(set) var start = DependencyTable.Start(ticket: 0, version: 0)
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses `reads`, and no other code runs while it changes.
    @exclusivity(unchecked) private var reads: [Read] = []
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

    /// Prepares the recorder for an evaluation, which stores nothing while its reads equal the previous ones in `expected`.
    ///
    /// With `isWhole`, all components are observed properties or constants (`let`), so returned objects need not be recorded. With
    /// `isLast`, the result is accepted even if a getter sets a property that it reads.
    func begin(_ start: DependencyTable.Start, expecting expected: [Read], isWhole: Bool, isLast: Bool) {
        followsObjects = !isWhole
        unsafe returnToRoot(path.with { $0.subject })
        self.isLast = isLast
        self.start = start
        self.expected = expected
        expectedReads = 0
        unsafe reads.removeAll(keepingCapacity: true)
        isAsExpected = !expected.isEmpty
        isDoubtful = false
    }

    func keepNotes(for chain: DependencyTable.Chain) {
        self.chain = chain
        unsafe notes = []
    }

    /// Returns all reads of the finished evaluation; nil if they are the same as in the previous evaluation.
    func unexpectedReads() -> [Read]? {
        if isAsExpected, expectedReads == expected.count { return nil }
        leaveExpectations()
        return unsafe reads
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        leaveExpectations()
        if let read = unsafe path.object.follow(owner, property: property, start.ticket, keyPath: { keyPath() }) {
            unsafe reads.append(read)
        }
    }

    override func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {
        leaveExpectations()
        if let object {
            unsafe path.object.followAnnouncements(of: object, start.ticket)
            unsafe reads.append(Read(record: Unretained(object as AnyObject).word, property: Read.announcements))
        } else if isNil {
            // Record a nil, too. Otherwise the next evaluation would not notice that the property now returns an object.
            unsafe reads.append(Read(record: 0, property: Read.announcements))
        }
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        noteAccess()
        if unsafe Unretained(owner).isBeingDestroyed { return }
        // A getter may call `access(_:)` with the very key path that is being observed. A key path must not depend on itself.
        let isOwn = unsafe path.with { path in path.subject == Unretained(owner).erased && path.withList { $0.isAnnounced(by: keyPath) } }
        if isOwn { return unsafe path.with { $0.noteOwnAccess() } }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        unsafe path.object.beFoundBy(record)
        follow(list, in: record)
    }

    /// `true` if each property was read from the object that the previous property returned, directly or through constants (`let`).
    var isChain: Bool { isChained || isChainOverConstants }

    private var isChainOverConstants: Bool {
        guard let chain, let notes = unsafe notes, notes.count == chain.constants.count else { return false }
        let properties = isAsExpected ? expected[..<expectedReads].map(\.property) : unsafe reads.map(\.property)
        if properties != chain.properties { return false }
        return notes.indices.allSatisfy { index in
            let start = index == 0 ? unsafe path.with { $0.subject.word } : notes[index - 1].value
            // The offsets of the constants are valid in one class only. The object at `start` has that class, because the properties read
            // are those for which the offsets were found.
            return ReferenceField.follow(chain.constants[index], from: start) == notes[index].owner
        }
    }

    private func leaveExpectations() {
        guard isAsExpected else { return }
        isAsExpected = false
        unsafe reads = Array(expected[..<expectedReads])
        expected = []
        isDoubtful = unsafe !path.object.confirm(reads, start)
    }

    func noteNextDeclared() {
        if expects(Read.nextDeclared.record, Read.nextDeclared.property) { return }
        leaveExpectations()
        unsafe reads.append(.nextDeclared)
    }

    /// Makes the observed key path depend on the manual notifications of another key.
    func follow(_ list: ObserverList) {
        follow(list, Read(record: Unretained(list).word, property: .max), .onlyByHand)
    }

    func follow(_ list: ObserverList, in record: ObservationRecord) {
        if list.property == 0 { return follow(list) }
        let isOfSubject = unsafe path.with { record.isRecord(of: $0.subject) }
        follow(list, Read(record: Unretained(record).word, property: list.property), isOfSubject ? .ofSameSubject : [])
    }

    private func follow(_ list: ObserverList, _ read: Read, _ flags: InfoFlags) {
        if expects(read.record, read.property) { return }
        leaveExpectations()
        if unsafe path.object.follow(list, read, flags, start.ticket) { unsafe reads.append(read) }
    }
}
