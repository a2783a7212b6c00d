public import CSafeKVO

/// Records the observed properties that a thread reads while it evaluates a key path.
///
/// Every observed getter finds the thread's current recorder in a thread-local pointer. A `TaskLocal` would also record the reads of tasks
/// that a getter creates.
///
/// Most evaluations read the same properties as the previous one. So the recorder only compares each read with the expected one, as long as
/// they are equal.
///
/// The *record* of an object holds the observers of its properties. A property is identified by its offset in the object.
@usableFromInline
class AccessRecorder {
    final var expected: [Read] = []
    final var expectedReads = 0

    /// `true` while each property belongs to the object that the previous read returned, as in `\.a.b.c`.
    ///
    /// The first property must belong to the root, the object at which the key path starts.
    private(set) final var isChained = true
    /// The first word of the value that was read last; before the first read, the address of the root object.
    ///
    /// If the value is an object, its first word is the object's address.
    private final var lastValue: UInt

    /// `true` if manual notifications of the objects that are read matter, so that the recorder must note these objects.
    final var followsObjects = false
    /// For each read, the address of the property's owner and the first word of its value; nil if these are not kept.
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses `notes`, and no other code runs while it changes.
    @exclusivity(unchecked) final var notes: [(owner: UInt, value: UInt)]?

    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local word is null or the address of a recorder, which a call of `record(_:)` further up this thread's stack
        // keeps alive.
        unsafe Unretained<AccessRecorder>(word: UInt(bitPattern: safekvo_recorder()))?.with(body)
    }

    /// Called before the property is read.
    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        unsafe notes?.append((owner, 0))
    }

    /// Called after the property was read.
    ///
    /// Returns `true` if the caller must also call `didReturn`.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        if let count = unsafe notes?.count, count > 0 { unsafe notes?[count - 1].value = value }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    /// A getter that calls `access(_:)` reads a key that the recorder does not see.
    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        if unsafe notes != nil { unsafe notes = [] }
    }

    /// Counts a property as read and returns `true`, if it is the next expected read; otherwise returns `false`.
    ///
    /// `record` is the address of the record of the property's owner.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Records a property that is not the next expected read, before the property is read.
    ///
    /// `storage` is the key path to the wrapper of an `@AtomicObserved` property; nil for an `@Observed` one.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Records a value that differs from the expected one, after the property was read.
    ///
    /// `object` is the value if it is an observable object. `mayHoldObjects` is `true` if the value may contain observable objects.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

    /// Records a key path that a getter of `owner` names with `access(_:)`.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // SAFETY: this function keeps the recorder alive, and restores the thread's previous recorder before it returns.
        let outer = unsafe safekvo_recorder()
        unsafe safekvo_set_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe safekvo_set_recorder(outer) }
        return body()
    }
}
