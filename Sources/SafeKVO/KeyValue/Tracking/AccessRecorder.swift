public import CSafeKVO

/// Receives each observed property that this thread reads while a key path is evaluated.
///
/// A thread has one current recorder at most. It is in a thread-local pointer that every observed getter looks at. Recorders nest. A
/// `TaskLocal` would be inherited by tasks that a getter creates, and the reads of these tasks are not the getter's.
///
/// Nearly every evaluation reads the same properties in the same order as the one before. So the recorder compares each read with the
/// expected one. As long as they are equal, it does nothing else.
@usableFromInline
class AccessRecorder {
    /// The reads that the evaluation is expected to make, in order.
    final var expected: [Read] = []
    /// The number of reads so far that were as expected.
    final var expectedReads = 0

    /// `true` as long as each property belongs to the object that the previous read returned, like the components of a key path.
    ///
    /// The first property must belong to the root, the object at which the key path starts.
    private(set) final var isChained = true
    /// The first word of the value that was read last.
    ///
    /// If the value is an object, this is the object's address. At first, it is the address of the root object, at which the key path
    /// starts.
    private final var lastValue: UInt

    /// `true` if the manual notifications of the objects that are read are followed, besides their properties.
    final var followsObjects = false
    /// For each read, the owner of the property and the first word of its value; nil if these are not kept.
    // SAFETY: (of the unchecked exclusivity) only the evaluating thread uses the recorder, and no other code runs while this changes.
    @exclusivity(unchecked) final var notes: [(owner: UInt, value: UInt)]?

    /// Creates a recorder.
    ///
    /// - Parameter root: The object at which the evaluated key path starts.
    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    /// Calls a closure with the recorder of this thread; returns nil if the thread has none.
    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the thread-local word is null or a recorder that `record(_:)` keeps alive further up this thread's stack.
        unsafe Unretained<AccessRecorder>(word: UInt(bitPattern: safekvo_recorder()))?.with(body)
    }

    /// Compares the owner of a property with the value of the previous read.
    ///
    /// Called before the property is read.
    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        unsafe notes?.append((owner, 0))
    }

    /// Notes the value of a property.
    ///
    /// Called after the property was read.
    ///
    /// - Parameter value: The first word of the value. It is used as an object's address only where the types say that the value is an
    ///   object.
    /// - Returns: `true` if the caller must also call ``didReturn(_:isNil:mayHoldObjects:)``.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        if let count = unsafe notes?.count, count > 0 { unsafe notes?[count - 1].value = value }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    /// Notes that a getter called `access(_:)` to name a key that it reads.
    ///
    /// The read of that key may return any object.
    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    /// Starts again at the root object, for a new evaluation.
    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        if unsafe notes != nil { unsafe notes = [] }
    }

    /// Compares a property with the expected one.
    ///
    /// Called before the property is read.
    ///
    /// - Parameters:
    ///   - record: The identity of the property's owner.
    ///   - property: The identity of the property in its owner.
    /// - Returns: `true` if this read was expected, so that nothing else has to be done.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Handles a read that was not expected.
    ///
    /// Called before the property is read.
    ///
    /// - Parameters:
    ///   - owner: The object that has the property.
    ///   - property: The identity of the property in its owner.
    ///   - keyPath: The key path to the property, as written in the class that declares it.
    ///   - storage: The key path to the wrapper of an atomic property; nil if the value is stored in the object itself.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Handles a value that was not expected.
    ///
    /// Called after the property was read.
    ///
    /// - Parameters:
    ///   - object: The object that was read; nil if the value is not an observable object.
    ///   - isNil: `true` if the value is nil.
    ///   - mayHoldObjects: `true` if the value may contain observable objects.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

    /// Handles a getter's call of `access(_:)`, which names a key whose changes are notified manually.
    ///
    /// - Parameters:
    ///   - owner: The object whose getter it is.
    ///   - keyPath: The key path that the getter names.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    /// Makes this recorder the current one of this thread while a closure runs.
    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the recorder is alive until this function returns. Before that, the function restores the previous word on the same
        // thread.
        let outer = unsafe safekvo_recorder()
        unsafe safekvo_set_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe safekvo_set_recorder(outer) }
        return body()
    }
}
