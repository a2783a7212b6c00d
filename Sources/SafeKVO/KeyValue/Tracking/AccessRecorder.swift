public import CSafeKVO

/// Records the observed properties that one evaluation of a key path reads on one thread.
///
/// Every `@Observed` getter finds the recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks that a getter
/// creates.
@usableFromInline
class AccessRecorder {
    final var expected: [Read] = []
    final var expectedReads = 0

    /// `true` if each property so far was read from the object that the previous property returned, as in `\.a.b.c`.
    private(set) final var isChained = true
    private final var lastValue: UInt

    /// `true` to record also the objects that getters return, because these objects may send manual notifications.
    final var followsObjects = false

    struct Log {
        /// The reads of this evaluation, stored only after one read has differed from the previous evaluation.
        var reads: [Read] = []
        /// For each read, the address of the property's owner and the first word of the value; nil if they are not recorded.
        ///
        /// If a value's word is the address of the next property's owner, the key path came to that owner directly. Otherwise, constants
        /// (`let`) may lead from the value to the owner.
        var notes: [(owner: UInt, value: UInt)]?
    }

    @exclusivity(unchecked) private final var log = Log()

    /// Calls a closure with the recorded reads; the closure must not use the recorder, because two accesses would overlap.
    @inline(__always)
    final func withLog<Result>(_ body: (inout Log) -> Result) -> Result {
        // SAFETY: only the evaluating thread uses `log`. The arrays hold plain words, so no other code runs while they change.
        unsafe body(&log)
    }

    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local pointer is null, or refers to a recorder that a running call of `record(_:)` keeps alive.
        unsafe Unretained<AccessRecorder>(word: safekvo_recorder())?.with(body)
    }

    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        withLog { $0.notes?.append((owner, 0)) }
    }

    /// Notes what a getter has returned; `value` is the first machine word of the result, the address for an object.
    ///
    /// If the result is `true`, the caller must call `didReturn`, which records a returned object.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        withLog { if let count = $0.notes?.count, count > 0 { $0.notes?[count - 1].value = value } }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        withLog { if $0.notes != nil { $0.notes = [] } }
    }

    /// Compares a read with the read at the same place in the order of the previous evaluation.
    ///
    /// `record` stands for the object, and `property` for its property. If the result is `true`, the read need not be recorded.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Records a property just before its getter reads the value.
    ///
    /// For an `@AtomicObserved` property, `storage` is the key path to the wrapper.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Records the object that a getter has returned, also in an optional, because the object may send manual notifications.
    ///
    /// `object` is nil if the value is no observable object. `isNil` is `true` if the value is nil, and `mayHoldObjects` is `true` for
    /// values such as collections.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

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
