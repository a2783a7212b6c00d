public import CSafeKVO

/// Records the observed properties that the getters of a key path read on one thread.
///
/// Every observed getter finds the recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks that a getter
/// creates.
///
/// Most evaluations read the same properties as the previous one. So the recorder compares the reads, and records only from the first
/// difference on.
@usableFromInline
class AccessRecorder {
    final var expected: [Read] = []
    final var expectedReads = 0

    /// `true` as long as the reads form a chain, as in `\.a.b.c`: the start object owns the first property, and each returned
    /// object the next one.
    private(set) final var isChained = true
    /// The first machine word of the last value, which is the address if the value is an object.
    ///
    /// Before the first read, it is the address of the object at which the key path starts.
    private final var lastValue: UInt

    /// `true` to record also the objects that properties return, because these objects may send manual notifications.
    final var followsObjects = false
    /// For each read, the owner's address and the first word of the value; nil if nobody needs them.
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses `notes`, and no other code runs while it changes.
    @exclusivity(unchecked) final var notes: [(owner: UInt, value: UInt)]?

    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local pointer is null, or refers to a recorder that a running call of `record(_:)` keeps alive.
        unsafe Unretained<AccessRecorder>(word: safekvo_recorder())?.with(body)
    }

    /// Notes that a property of the object at the address `owner` will be read.
    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        unsafe notes?.append((owner, 0))
    }

    /// Notes the first word of the value that a property has returned.
    ///
    /// - Returns: `true` if the caller must record the value with `didReturn`.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        if let count = unsafe notes?.count, count > 0 { unsafe notes?[count - 1].value = value }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    /// Notes that a getter called `access(_:)`: it reads more than observed properties, so the reads form no chain.
    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        if unsafe notes != nil { unsafe notes = [] }
    }

    /// Returns `true` and counts the read, if it is the same as the next one of the previous evaluation.
    ///
    /// `record` is the address of the owner's `ObservationRecord`.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Records a property that is about to be read, and that the previous evaluation did not read at this point.
    ///
    /// `storage` is the key path to the wrapper of an `@AtomicObserved` property; nil for an `@Observed` one.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Records a returned value that differs from the one in the previous evaluation.
    ///
    /// If the value is an observable object, `object` is that object. `mayHoldObjects` is `true` if the value may contain such objects.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

    /// Records the key path that a getter of `owner` has passed to `access(_:)`.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // This recorder outlives the call. At the end of the call, the thread-local word gets its previous value `outer` back.
        let outer = safekvo_recorder()
        safekvo_set_recorder(Unretained(self).word)
        defer { safekvo_set_recorder(outer) }
        return body()
    }
}
