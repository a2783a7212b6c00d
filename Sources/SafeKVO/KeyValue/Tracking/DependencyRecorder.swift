/// Follows everything that an evaluation of a tracked path reads.
///
/// Nearly every evaluation reads what the one before read, in the same order: as long as it does, nothing need be done.
final class DependencyRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let path: TrackedPath<Root, Leaf>
    let start: DependencyTable.Start
    /// How many reads have been as expected.
    private var expectedReads = 0
    /// What was read, once something was not as expected.
    private var reads: [Read] = []
    private var isAsExpected = true
    /// Whether what was read as expected may have been unlinked meanwhile, so that changes may have been missed.
    private(set) var isDoubtful = false

    init(_ path: TrackedPath<Root, Leaf>, _ start: DependencyTable.Start) {
        self.path = path
        self.start = start
        isAsExpected = !start.expected.isEmpty
    }

    /// What was read, at the end of the evaluation; nil if it is exactly what was expected.
    func unexpectedReads() -> [Read]? {
        if isAsExpected, expectedReads == start.expected.count { return nil }
        leaveExpectations()
        return reads
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath?
    ) {
        if isExpected(Read(record: owner.keyValueRegistrar.observers.recordWord, property: property)) { return }
        if let read = path.follow(owner, property: property, at: reads.count, start.ticket, keyPath: { keyPath() }) { reads.append(read) }
    }

    private func isExpected(_ read: Read) -> Bool {
        guard isAsExpected else { return false }
        if expectedReads < start.expected.count, start.expected[expectedReads] == read {
            expectedReads += 1
            return true
        }
        leaveExpectations()
        return false
    }

    /// Follows the reads so far like any others.
    private func leaveExpectations() {
        guard isAsExpected else { return }
        isAsExpected = false
        reads = Array(start.expected[..<expectedReads])
        isDoubtful = !path.confirm(reads, start)
    }

    /// Follows what is announced by hand.
    func follow(_ list: ObserverList) {
        let read = Read(record: Unretained(list).word, property: .max)
        if isExpected(read) { return }
        if path.follow(list, read, .onlyByHand, start.ticket) { reads.append(read) }
    }
}
