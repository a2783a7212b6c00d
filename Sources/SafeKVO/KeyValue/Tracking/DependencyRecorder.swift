/// Records all reads of one evaluation of a key path, and makes each of them a dependency of the tracked path.
///
/// A *tracked path* observes a key path whose value depends on other properties, its *dependencies*. Most evaluations make the same reads
/// as the previous one; these are the *expected* reads.
///
/// The *record* of an object holds its observer lists, each of which holds the observers of one property or key.
@usableFromInline
final class DependencyRecorder: AccessRecorder {
    // SAFETY: the function that evaluates the tracked path keeps the path alive while the recorder is in use.
    private let path: Unretained<TrackedPath>
    private(set) var start = DependencyTable.Start(ticket: 0, version: 0)
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses `reads`, and no other code runs while it changes.
    /// All reads of this evaluation; empty as long as every read is the expected one.
    @exclusivity(unchecked) private var reads: [Read] = []
    private var isAsExpected = true
    /// `true` if a dependency may have been removed during this evaluation, so that a change may have been missed.
    private(set) var isDoubtful = false
    /// `true` if this evaluation repeats a failed one.
    ///
    /// The result of such an evaluation is accepted even if a dependency changes meanwhile.
    private(set) var isLast = false
    /// The components of the key path, if they are all properties and constants (`let`), at least one of them a constant; otherwise nil.
    private var chain: DependencyTable.Chain?

    init(_ path: TrackedPath) {
        self.path = Unretained(path)
        super.init(path.subject)
    }

    /// Begins an evaluation.
    ///
    /// `expected` is empty if the reads are not known. `isWhole` is `true` if every component of the key path is known; otherwise, the path
    /// also follows manual notifications of each object that is read.
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

    /// Returns all reads of the finished evaluation, or nil if they are exactly the expected ones.
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
            // Record the nil, too. If the property returns an object next time, that read then differs from the expected one.
            unsafe reads.append(Read(record: 0, property: Read.announcements))
        }
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        noteAccess()
        if unsafe Unretained(owner).isBeingDestroyed { return }
        // A getter may name the key path of this tracked path, which must not depend on itself.
        let isOwn = unsafe path.with { path in path.subject == Unretained(owner).erased && path.withList { $0.isAnnounced(by: keyPath) } }
        if isOwn { return unsafe path.with { $0.noteOwnAccess() } }
        let record = owner.keyValueRegistrar.record(of: owner)
        guard let list = Recording.suspended({ DeclaredDependencies.list(of: keyPath, owner, in: record) }) else { return }
        unsafe path.object.beFoundBy(record)
        follow(list, in: record)
    }

    /// `true` if each object that was read leads to the next property, directly or through constants (`let`).
    var isChain: Bool { isChained || isChainOverConstants }

    private var isChainOverConstants: Bool {
        guard let chain, let notes = unsafe notes, notes.count == chain.constants.count else { return false }
        let properties = isAsExpected ? expected[..<expectedReads].map(\.property) : unsafe reads.map(\.property)
        if properties != chain.properties { return false }
        return notes.indices.allSatisfy { index in
            let start = index == 0 ? unsafe path.with { $0.subject.word } : notes[index - 1].value
            // The properties read are those of `chain`, so the object at `start` has the class for which the constants' offsets were found.
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

    /// Records a separator before the reads of the next key path that a class declares as a dependency.
    func noteNextDeclared() {
        if expects(Read.nextDeclared.record, Read.nextDeclared.property) { return }
        leaveExpectations()
        unsafe reads.append(.nextDeclared)
    }

    /// Makes the tracked path depend on the manual notifications that are sent to this observer list.
    func follow(_ list: ObserverList) {
        follow(list, Read(record: Unretained(list).word, property: .max), .onlyByHand)
    }

    /// Makes the tracked path follow all changes of an observed property, but only the manual notifications of any other key.
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
