public import CSafeKVO

/// Records the observed properties that the getters of a key path read on one thread.
///
/// Every observed getter finds the recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks that a getter
/// creates.
///
/// Most evaluations read the same as the previous one. So the recorder first only compares the reads, and records them from the first
/// difference on.
@usableFromInline
class AccessRecorder {
    final var expected: [Read] = []
    final var expectedReads = 0

    /// `true` as long as each recorded property belongs to the object that the previous property returned, as in `\.a.b.c`.
    ///
    /// The first property must belong to the object at which the key path starts.
    private(set) final var isChained = true
    /// The first machine word of the value that was read last: its address, if the value is an object.
    ///
    /// Before the first read, it is the address of the object at which the key path starts.
    private final var lastValue: UInt

    /// `true` if the recorder must also record the objects that properties return, because these objects may send manual notifications.
    final var followsObjects = false
    /// For each read of a property, the address of its owner and the first word of its value. With `nil`, nothing is noted.
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses `notes`, and no other code runs while it changes.
    @exclusivity(unchecked) final var notes: [(owner: UInt, value: UInt)]?

    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local pointer is null or was set by a call of `record(_:)` that is still running and keeps the recorder alive.
        unsafe Unretained<AccessRecorder>(word: UInt(bitPattern: safekvo_recorder()))?.with(body)
    }

    /// Notes that a property of the object at `owner` will be read, to find out whether the reads form a chain.
    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        unsafe notes?.append((owner, 0))
    }

    /// Notes the first word of a property's value, after the property was read.
    ///
    /// Returns `true` if the caller must also call `didReturn`, which records the value.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        if let count = unsafe notes?.count, count > 0 { unsafe notes?[count - 1].value = value }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    /// Notes that a getter called `access(_:)`, which shows that it reads something other than an observed property.
    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        if unsafe notes != nil { unsafe notes = [] }
    }

    /// Returns `true` and counts the read, if the next read of the previous evaluation had the same property.
    ///
    /// `record` is the address of the `ObservationRecord` of the property's owner.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Records a property before it is read, if the next read of the previous evaluation had another property.
    ///
    /// `storage` is the key path to the wrapper of an `@AtomicObserved` property; nil for an `@Observed` one.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Records the value that a property returned, if it is not the value that the previous evaluation got from the same read.
    ///
    /// `object` is the value if it is an observable object. `mayHoldObjects` is `true` if the value may contain such objects.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

    /// Records the key path that a getter of `owner` has passed to `access(_:)`.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the thread-local pointer refers to this recorder, which outlives this call, until the call puts `outer` back.
        let outer = unsafe safekvo_recorder()
        unsafe safekvo_set_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe safekvo_set_recorder(outer) }
        return body()
    }
}
