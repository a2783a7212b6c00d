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

    init(_ path: TrackedPath) {
        self.path = Unretained(path)
        super.init(path.subject)
    }

    /// Begins an evaluation.
    ///
    /// - Parameters:
    ///   - start: What it begins with.
    ///   - expected: What it is expected to read; nothing if that is not known.
    ///   - isLast: Whether it must do, whatever changes meanwhile.
    func begin(_ start: DependencyTable.Start, expecting expected: [Read], isLast: Bool) {
        unsafe returnToRoot(path.with { $0.subject })
        self.isLast = isLast
        self.start = start
        self.expected = expected
        expectedReads = 0
        unsafe reads.removeAll(keepingCapacity: true)
        isAsExpected = !expected.isEmpty
        isDoubtful = false
    }

    /// What was read, at the end of the evaluation; nil if it is exactly what was expected.
    func unexpectedReads() -> [Read]? {
        if isAsExpected, expectedReads == expected.count { return nil }
        leaveExpectations()
        return unsafe reads
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath
    ) {
        leaveExpectations()
        if let read = unsafe path.object.follow(owner, property: property, start.ticket, keyPath: { keyPath() }) {
            unsafe reads.append(read)
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

    /// Follows what is announced by hand.
    func follow(_ list: ObserverList) {
        follow(list, Read(record: Unretained(list).word, property: .max), .onlyByHand)
    }

    /// Follows a list of the subject: of a property, or of what is announced by hand.
    func follow(_ list: ObserverList, in record: ObservationRecord) {
        if list.property == 0 { return follow(list) }
        follow(list, Read(record: Unretained(record).word, property: list.property), .ofSameSubject)
    }

    private func follow(_ list: ObserverList, _ read: Read, _ flags: InfoFlags) {
        if expects(read.record, read.property) { return }
        leaveExpectations()
        if unsafe path.object.follow(list, read, flags, start.ticket) { unsafe reads.append(read) }
    }
}
