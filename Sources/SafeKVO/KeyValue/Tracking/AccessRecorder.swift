public import CSafeKVO

/// Listens to the observed properties that this thread reads, while a key path is being evaluated.
///
/// There is one for each thread at most, in a thread-local pointer that every observed getter looks at; recorders nest. A `TaskLocal` would
/// be inherited by tasks made in a getter, whose reads are not the getter's.
///
/// Nearly every evaluation reads what the one before read, in the same order: as long as it does, nothing need be done.
@usableFromInline
class AccessRecorder {
    /// What is expected to be read.
    final var expected: [Read] = []
    /// How many reads have been as expected.
    final var expectedReads = 0

    /// `true` as long as each property was read of the object that the read before returned, and the first of the root: as the hops of a
    /// key path are.
    private(set) final var isChained = true
    /// The first word of the value that was read last, which is the object's address if the value is one.
    ///
    /// At first, the root's address.
    private final var lastValue: UInt

    /// `true` if the announcements of the objects that are read are followed, besides their properties.
    final var followsObjects = false
    /// Whose property each read was, and the first word of its value, if that is to be kept.
    // SAFETY: (of the unchecked exclusivity) whoever evaluates has the recorder to itself, and nobody is called while it changes.
    @exclusivity(unchecked) final var notes: [(owner: UInt, value: UInt)]?

    /// Makes a recorder.
    ///
    /// - Parameter root: The object whose key path is evaluated.
    init(_ root: Unretained<AnyObject>) {
        lastValue = root.word
    }

    /// Uses the recorder of this thread, if it has one.
    @usableFromInline
    static func withCurrent<Result>(_ body: (AccessRecorder) -> Result) -> Result? {
        // SAFETY: the slot holds a recorder that `record` keeps further up this thread's stack, or null.
        unsafe Unretained<AccessRecorder>(word: UInt(bitPattern: safekvo_recorder()))?.with(body)
    }

    /// Called before an observed property is read: compares its owner with the value of the read before.
    final func noteOwner(_ owner: UInt) {
        if lastValue != owner { isChained = false }
        lastValue = 0
        unsafe notes?.append((owner, 0))
    }

    /// Called after an observed property was read.
    ///
    /// - Parameter value: The first word of its value. It is compared with an object's address where the types say that the value is an object.
    /// - Returns: `true` if the recorder must be told whether the value is an object: ``didReturn(_:isOptional:mayHoldObjects:)``.
    final func noteValue(_ value: UInt) -> Bool {
        lastValue = value
        if let count = unsafe notes?.count, count > 0 { unsafe notes?[count - 1].value = value }
        if expected.isEmpty { return followsObjects }
        guard expectedReads < expected.count, expected[expectedReads].property == Read.announcements else { return false }
        if expected[expectedReads].record != value { return true }
        expectedReads += 1
        return false
    }

    /// Notes that a getter said what it reads, which may return any object.
    final func noteAccess() {
        isChained = false
        lastValue = 0
    }

    /// Begins again at the root.
    final func returnToRoot(_ root: Unretained<AnyObject>) {
        lastValue = root.word
        isChained = true
        if unsafe notes != nil { unsafe notes = [] }
    }

    /// Called before an observed property is read.
    ///
    /// - Parameters:
    ///   - record: What identifies its owner.
    ///   - property: Which of its properties.
    /// - Returns: whether this was expected, and nothing need be done.
    final func expects(_ record: UInt, _ property: UInt) -> Bool {
        if expectedReads < expected.count, expected[expectedReads] == Read(record: record, property: property) {
            expectedReads += 1
            return true
        }
        return false
    }

    /// Called before an observed property is read that was not expected.
    ///
    /// - Parameters:
    ///   - owner: Whose property it is.
    ///   - property: Which of its properties.
    ///   - keyPath: The key path to it, as written in the class that declares it.
    ///   - storage: The key path to the wrapper.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath
    ) {
        preconditionFailure("Internal error of SafeKVO: `AccessRecorder.willRead` has no override. Please report it.")
    }

    /// Called after an observed property was read whose value was not expected.
    ///
    /// - Parameters:
    ///   - object: The object that was read; nil if the value is none that can be observed.
    ///   - isNil: `true` if the value is nil.
    ///   - mayHoldObjects: `true` if objects that can be observed may be found in the value.
    @usableFromInline
    func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {}

    /// Called when a getter says that it reads something that is announced by hand.
    ///
    /// - Parameters:
    ///   - owner: The object whose getter it is.
    ///   - keyPath: The key path of what is announced.
    @usableFromInline
    func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {}

    /// Evaluates something with this recorder listening.
    @inlinable
    final func record<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the recorder lives until the end of this, which puts the word back as it was, on its own thread.
        let outer = unsafe safekvo_recorder()
        unsafe safekvo_set_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe safekvo_set_recorder(outer) }
        return body()
    }
}
