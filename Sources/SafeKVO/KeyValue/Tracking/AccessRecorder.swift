internal import CSafeKVO

/// Listens to the observed properties that this thread reads, while a key path is being evaluated.
///
/// There is one for each thread at most, in a thread-local pointer that every observed getter looks at; recorders nest. A `TaskLocal` would
/// be inherited by tasks made in a getter, whose reads are not the getter's.
@usableFromInline
class AccessRecorder {
    init() {}

    /// The recorder of this thread.
    @usableFromInline
    static var current: AccessRecorder? {
        // SAFETY: the slot holds a recorder that `record` keeps on this thread's stack, or null.
        unsafe safekvo_recorder().map { unsafe Unmanaged<AccessRecorder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called before an observed property is read.
    ///
    /// - Parameters:
    ///   - owner: Whose property it is.
    ///   - property: Which of its properties.
    ///   - keyPath: The key path to it, as written in the class that declares it.
    ///   - storage: The key path to what the wrapper holds, if that may be changed in place.
    @usableFromInline
    func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath?
    ) {
        preconditionFailure("A recorder must say what it does with what it hears.")
    }

    /// Evaluates something with this recorder listening.
    final func record<Result>(_ body: () -> Result) -> Result {
        let outer = unsafe safekvo_recorder()
        unsafe safekvo_set_recorder(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe safekvo_set_recorder(outer) }
        return body()
    }
}
