/// Evaluates a key path for the first time and finds out what it is.
///
/// If the first thing that its evaluation reads is an observed property of the root, by that very key path, it is that property. If not, what
/// it reads is followed from the first read on.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private let steps: PathSteps
    private var isFirstRead = true
    /// The property, if that is what the key path seems to be.
    private(set) var property: Property?

    /// A stored property of the root that the key path names, and that its evaluation read first.
    struct Property {
        let identity: UInt
        /// `true` if another class than the root's declares it, so that what was evaluated may be an override.
        let isInherited: Bool
        /// `true` if nothing else was read.
        fileprivate(set) var isOnlyRead = true
        /// Compares a value with the stored one, bit by bit.
        fileprivate let isStored: (Leaf) -> Bool

        /// `true` if an evaluation of the key path that returned a value gives no sign of an override.
        func isGetter(of value: Leaf) -> Bool { !isInherited || isOnlyRead && isStored(value) }
    }
    private(set) var tracked: TrackedPath?
    private(set) var recorder: DependencyRecorder?
    /// What was read: the hops of a chain, if the key path is one.
    private var hops: [(keyPath: AnyKeyPath, property: UInt)] = []
    private static var longestChain: Int { 32 }

    init(root: Root, keyPath: KeyPath<Root, Leaf>, steps: PathSteps) {
        self.root = root
        self.keyPath = keyPath
        self.steps = steps
        super.init(Unretained(root).erased)
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: AnyKeyPath
    ) {
        if isFirstRead {
            isFirstRead = false
            // As written in the class that declares it or in a subclass.
            if owner === root, keyPath().isSpelling(of: self.keyPath) {
                let storage = storage as? ReferenceWritableKeyPath<Owner, Observed<Value>>
                self.property = Property(identity: property, isInherited: type(of: owner) != Owner.self) { value in
                    // What other threads may write cannot be compared.
                    storage.map { Bits.areSame(owner[keyPath: $0].value, value) } ?? true
                }
                return
            }
        }
        if self.property != nil {
            self.property?.isOnlyRead = false
            return
        }
        if hops.count <= Self.longestChain { hops.append((keyPath(), property)) }
        beginFollowing().willRead(owner, property: property, keyPath: keyPath, storage: storage)
    }

    /// What follows the reads of a key path that is no property.
    private func beginFollowing() -> DependencyRecorder {
        if let recorder { return recorder }
        let record = root.keyValueRegistrar.record(of: root)
        let path = TrackedPath.path(of: root, keyPath, steps, in: record)
        tracked = path
        let made = path.begin(activating: record, isThorough: true)
        recorder = made
        return made
    }

    /// The properties of the hops, if what was read are exactly the hops of the key path.
    var chain: [UInt] {
        guard isChained, hops.count > 1, hops.count <= Self.longestChain else { return [] }
        return keyPath.isChain(of: hops.map(\.keyPath)) ? hops.map(\.property) : []
    }
}
