/// Evaluates a key path for the first time: finds out whether it is exactly an observed property, and if it is not, follows what it reads
/// from the first read on.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: PropertyRecorder<Root, Leaf> {
    private(set) var tracked: (list: ObserverList, tracked: TrackedPath<Root, Leaf>)?
    private(set) var ticket: UInt64?

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        super.willRead(owner, property: property, keyPath: keyPath)
        if self.property != nil { return }
        if tracked == nil {
            let path = TrackedPath.path(of: root, self.keyPath, in: root.keyValueRegistrar.observers.record(of: root))
            tracked = path
            ticket = path.tracked.beginEvaluation(activating: root)
        }
        if let tracked, let ticket { tracked.tracked.follow(owner, property: property, ticket) }
    }
}
