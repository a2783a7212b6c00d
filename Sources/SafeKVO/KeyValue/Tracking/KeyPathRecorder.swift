/// Evaluates a key path for the first time and finds out what it is.
///
/// If the first thing that its evaluation reads is an observed property of the root, by that very key path, it is that property. If not, what
/// it reads is followed from the first read on.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private let steps: PathSteps
    private var isFirstRead = true
    /// The property, if that is what the key path is.
    private(set) var property: UInt?
    private(set) var tracked: TrackedPath?
    private(set) var recorder: DependencyRecorder?
    /// What was read: the hops of a chain, if the key path is one.
    private var hops: [(keyPath: AnyKeyPath, property: UInt)] = []
    private static var longestChain: Int { 32 }

    init(root: Root, keyPath: KeyPath<Root, Leaf>, steps: PathSteps) {
        self.root = root
        self.keyPath = keyPath
        self.steps = steps
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath
    ) {
        if isFirstRead {
            isFirstRead = false
            // As written in the class that declares it or in a subclass.
            if owner === root, keyPath().isSpelling(of: self.keyPath) { self.property = property }
        }
        if self.property != nil { return }
        if hops.count <= Self.longestChain { hops.append((keyPath(), property)) }
        beginFollowing().willRead(owner, property: property, keyPath: keyPath, storage: storage)
    }

    /// What follows the reads of a key path that is no property.
    private func beginFollowing() -> DependencyRecorder {
        if let recorder { return recorder }
        let record = root.keyValueRegistrar.observers.record(of: root)
        let path = TrackedPath.path(of: root, keyPath, steps, in: record)
        tracked = path
        let made = path.begin(activating: record, isThorough: true)
        recorder = made
        return made
    }

    /// The properties of the hops, if what was read are exactly the hops of the key path.
    var chain: [UInt] {
        guard hops.count > 1, hops.count <= Self.longestChain else { return [] }
        return keyPath.isChain(of: hops.map(\.keyPath)) ? hops.map(\.property) : []
    }
}
