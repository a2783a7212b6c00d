/// A key of an object that the program announces by hand, as paths look whether it is a hop of theirs.
///
/// It is used during one call, on one thread.
final class AnnouncedKey {
    let keyPath: AnyKeyPath
    // SAFETY: (of the owner) whoever announces keeps it during the call.
    let owner: Unretained<AnyObject>
    private(set) lazy var text = KeyPathText(keyPath)
    /// What evaluating the key reads, and the object that it leads to.
    ///
    /// Nothing but the key itself is evaluated: whoever announces a key may evaluate it.
    private(set) lazy var evaluation = evaluate()

    init(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) {
        self.keyPath = keyPath
        self.owner = owner
    }

    private func evaluate() -> (reads: [ReadRecorder.Read], object: UInt?) {
        let root = unsafe owner.object
        let recorder = ReadRecorder(owner)
        let value = recorder.record { (root as Any)[keyPath: keyPath] }
        return (recorder.reads, (value as? any KeyValueObservable).map { Unretained($0 as AnyObject).word })
    }
}

/// Notes which properties are read.
final class ReadRecorder: AccessRecorder {
    typealias Read = (owner: UInt, keyPath: AnyKeyPath)

    private(set) var reads: [Read] = []

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath
    ) {
        reads.append((Unretained(owner).word, keyPath()))
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        reads.append((Unretained(owner).word, keyPath))
    }
}
