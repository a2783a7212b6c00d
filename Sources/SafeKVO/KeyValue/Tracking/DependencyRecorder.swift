/// Follows everything that an evaluation of a tracked path reads.
@usableFromInline
final class DependencyRecorder: AccessRecorder {
    // SAFETY: whoever evaluates a path keeps it for as long; the path keeps its recorders for the next evaluation.
    private let path: Unretained<TrackedPath>
    private(set) var start = DependencyTable.Start(ticket: 0, version: 0)
    // SAFETY: (of the unchecked exclusivity) whoever evaluates has the recorder to itself, and nobody is called while it changes.
    /// What was read, once something was not as expected.
    @exclusivity(unchecked) private var reads: [Read] = []
    private var isAsExpected = true
    /// Whether what was read as expected may have been unlinked meanwhile, so that changes may have been missed.
    private(set) var isDoubtful = false
    /// Whether it is a second attempt, which must do.
    private(set) var isLast = false
    /// What the key path is, if it is a chain with constants in between.
    private var chain: DependencyTable.Chain?

    init(_ path: TrackedPath) {
        self.path = Unretained(path)
        super.init(path.subject)
    }

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - start: What it begins with.
    ///   - expected: What it is expected to read; nothing if that is not known.
    ///   - isWhole: Whether everything on the way is read, so that there is nothing else to follow.
    ///   - isLast: Whether it must do, whatever changes meanwhile.
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

    /// Keeps what is needed to find out whether the evaluation follows a chain with constants in between.
    func keepNotes(for chain: DependencyTable.Chain) {
        self.chain = chain
        unsafe notes = []
    }

    /// What was read, at the end of the evaluation; nil if it is exactly what was expected.
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
            // An object that comes is not what was expected.
            unsafe reads.append(Read(record: 0, property: Read.announcements))
        }
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        noteAccess()
        if unsafe Unretained(owner).isBeingDestroyed { return }
        // The path's own announcements are not something that it depends on, whatever class the getter names.
        let isOwn = unsafe path.with { path in path.subject == Unretained(owner).erased && path.withList { $0.isAnnounced(by: keyPath) } }
        if isOwn { return unsafe path.with { $0.noteOwnAccess() } }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        unsafe path.object.beFoundBy(record)
        follow(list, in: record)
    }

    /// `true` if each property was read of the object that the read before returned, or that constants lead to from there.
    var isChain: Bool { isChained || isChainOverConstants }

    private var isChainOverConstants: Bool {
        guard let chain, let notes = unsafe notes, notes.count == chain.constants.count else { return false }
        let properties = isAsExpected ? expected[..<expectedReads].map(\.property) : unsafe reads.map(\.property)
        if properties != chain.properties { return false }
        return notes.indices.allSatisfy { index in
            let start = index == 0 ? unsafe path.with { $0.subject.word } : notes[index - 1].value
            // As the properties before are those of the chain, what they returned is an object of the class in which the constants were found.
            return ReferenceField.follow(chain.constants[index], from: start) == notes[index].owner
        }
    }

    /// Follows the reads so far like any others.
    private func leaveExpectations() {
        guard isAsExpected else { return }
        isAsExpected = false
        unsafe reads = Array(expected[..<expectedReads])
        expected = []
        isDoubtful = unsafe !path.object.confirm(reads, start)
    }

    /// Takes note that a declared key path is evaluated next.
    func noteNextDeclared() {
        if expects(Read.nextDeclared.record, Read.nextDeclared.property) { return }
        leaveExpectations()
        unsafe reads.append(.nextDeclared)
    }

    /// Follows what is announced by hand.
    func follow(_ list: ObserverList) {
        follow(list, Read(record: Unretained(list).word, property: .max), .onlyByHand)
    }

    /// Follows a list of an object: of a property, or of what is announced by hand.
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
