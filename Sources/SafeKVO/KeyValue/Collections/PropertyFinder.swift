/// Finds the property that a key path ends in, by evaluating it.
final class PropertyFinder<Leaf>: AccessRecorder {
    private var hops: [AnyKeyPath] = []
    private var last: CollectionProperty<Leaf>?

    /// The property at the end of a key path; nil if the key path is not a chain of observed properties, each of the object before it.
    static func property<Root: KeyValueObservable>(of root: Root, _ keyPath: KeyPath<Root, Leaf>) -> CollectionProperty<Leaf>? {
        let finder = PropertyFinder(Unretained(root).erased)
        finder.record { _ = root[keyPath: keyPath] }
        return finder.isChained && keyPath.isChain(of: finder.hops) ? finder.last : nil
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath
    ) {
        let keyPath = keyPath()
        hops.append(keyPath)
        last = (keyPath as? ReferenceWritableKeyPath<Owner, Leaf>).flatMap { keyPath in
            (storage as? ReferenceWritableKeyPath<Owner, Observed<Leaf>>).map { StoredCollection(owner, property, keyPath, $0) }
                ?? (storage as? ReferenceWritableKeyPath<Owner, AtomicObserved<Leaf>>).map { AtomicCollection(owner, property, keyPath, $0) }
        }
    }
}
