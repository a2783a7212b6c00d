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

    init() {}

    /// The recorder of this thread.
    @usableFromInline
    static var current: Unretained<AccessRecorder>? {
        // SAFETY: the slot holds a recorder that `record` keeps on this thread's stack, or null.
        Unretained(word: unsafe UInt(bitPattern: safekvo_recorder()))
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
        preconditionFailure("A recorder must say what it does with what it hears.")
    }

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
