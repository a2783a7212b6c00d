/// Finds the property that a key path ends in, by evaluating it.
final class PropertyFinder<Leaf>: AccessRecorder {
    private var hops: [AnyKeyPath] = []
    private var last: CollectionProperty<Leaf>?

    /// The property at the end of a key path; nil if the key path is not a chain of observed properties.
    static func property<Root: KeyValueObservable>(of root: Root, _ keyPath: KeyPath<Root, Leaf>) -> CollectionProperty<Leaf>? {
        let finder = PropertyFinder()
        finder.record { _ = root[keyPath: keyPath] }
        return keyPath.isChain(of: finder.hops) ? finder.last : nil
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath
    ) {
        let keyPath = keyPath()
        hops.append(keyPath)
        last = (keyPath as? ReferenceWritableKeyPath<Owner, Leaf>).flatMap { keyPath in
            switch storage {
            case let storage as ReferenceWritableKeyPath<Owner, Observed<Leaf>>: StoredCollection(owner, property, keyPath, storage)
            case let storage as ReferenceWritableKeyPath<Owner, AtomicObserved<Leaf>>: AtomicCollection(owner, property, keyPath, storage)
            default: nil
            }
        }
    }
}
