/// Evaluates a key path for the first time and finds out what it is.
///
/// If the first thing that its evaluation reads is an observed property of the root, by that very key path, it is that property. If not, what
/// it reads is followed from the first read on.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private var isFirstRead = true
    /// The property, if that is what the key path is.
    private(set) var property: UInt?
    private(set) var tracked: (list: ObserverList, tracked: TrackedPath<Root, Leaf>)?
    private(set) var ticket: UInt64?

    init(root: Root, keyPath: KeyPath<Root, Leaf>) {
        self.root = root
        self.keyPath = keyPath
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        if isFirstRead {
            isFirstRead = false
            // As written in the class that declares it or in a subclass.
            if owner === root, keyPath().isSpelling(of: self.keyPath) { self.property = property }
        }
        if self.property == nil { follow(owner, property) }
    }

    private func follow<Owner: KeyValueObservable>(_ owner: Owner, _ property: UInt) {
        if tracked == nil {
            let path = TrackedPath.path(of: root, keyPath, in: root.keyValueRegistrar.observers.record(of: root))
            tracked = path
            ticket = path.tracked.beginEvaluation(activating: root)
        }
        if let tracked, let ticket { tracked.tracked.follow(owner, property: property, ticket) }
    }
}
