public import CSafeKVO

/// Records the observed properties that one evaluation of a key path reads on one thread.
///
/// Every `@Observed` getter finds the recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks that a getter
/// creates.
@usableFromInline
class AccessRecorder {
    // SAFETY: (of the unchecked exclusivity) as in `PathRecorder`.

    /// What the evaluation before has linked, in the order of its reads.
    @exclusivity(unchecked) final var expected: [Link] = []
    /// The place of the next read in ``expected``.
    @exclusivity(unchecked) final var expectedReads = 0

    /// `true` if each property so far was read from the object that the previous property returned, as in `\.a.b.c`.
    private(set) final var isChained = true
    private final var lastValue: UInt
    /// ``lastValue`` if it may be the address of an object; otherwise zero.
    private final var lastObject: UInt = 0
    private final var firstGap: UInt = 0
    /// The last property that was read; ``Read/nothing`` also if the last report was one of `access(_:)`.
    final var lastRead = Read.nothing
    /// The property whose value is the result of the evaluation; ``Read/nothing`` if the result was made from values.
    private(set) final var passed = Read.nothing

    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local pointer is null, or refers to a recorder that a running call of `record(_:)` keeps alive.
        unsafe Unretained<AccessRecorder>(word: safekvo_recorder())?.with(body)
    }

    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { noteGap() }
        (lastValue, lastObject) = (0, 0)
    }

    private final func noteGap() {
        if isChained { firstGap = lastObject }
        isChained = false
    }

    /// The address of the object from which the evaluation went on by something that reported nothing; zero if there is none.
    ///
    /// For `\.song.title`, it is that of `song` if nothing reports `title`.
    final var gap: UInt { firstGap == 0 ? lastObject : firstGap }

    /// Notes what a getter has returned; `value` is the first machine word of the result, the address for an object.
    final func noteValue(_ value: UInt, mayBeObject: Bool) {
        lastValue = value
        lastObject = mayBeObject ? value : 0
    }

    /// Notes the result of the evaluation, by which it is known whether the result is the value of the property that was read last.
    @inlinable
    @inline(__always)
    final func noteResult(_ value: some Any) {
        let word = Bits.word(of: value)
        if word != 0 { noteResult(word: word) }
    }

    @usableFromInline
    final func noteResult(word: UInt) {
        if word == lastValue { passed = lastRead }
    }

    /// Takes over what another recorder has noted of the result of one evaluation that both have recorded.
    final func adoptResult(of other: AccessRecorder) {
        (passed, firstGap, lastObject) = (other.passed, other.firstGap, other.lastObject)
    }

    final func noteAccess() {
        noteGap()
        (lastValue, lastObject) = (0, 0)
        lastRead = .nothing
    }

    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        lastRead = .nothing
        passed = .nothing
        (lastObject, firstGap) = (0, 0)
        isChained = true
    }

    /// Notes a read; returns `true` if the key path is linked to what is read.
    ///
    /// `record` stands for the object, and `property` for its property.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        lastRead = Read(record: record, property: property)
        return isRead(lastRead)
    }

    func isRead(_ read: Read) -> Bool { false }

    /// Records a property just before its getter reads the value.
    ///
    /// `atomic` edits the property if it is atomic, and is nil for any other property.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, atomic: AtomicCollection<Value>?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // Make this recorder the thread's current recorder while `body` runs. The caller keeps the recorder alive meanwhile.
        let outer = safekvo_recorder()
        safekvo_set_recorder(Unretained(self).word)
        defer { safekvo_set_recorder(outer) }
        return body()
    }
}
