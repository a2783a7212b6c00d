/// Finds the property that a key path ends in, by evaluating it.
final class PropertyFinder<Leaf>: AccessRecorder {
    private var hops: [AnyKeyPath] = []
    private var last: CollectionProperty<Leaf>?
    /// `true` if a value is what the last property stores, or if no class can override that.
    private var isStored: (Leaf) -> Bool = { _ in true }

    /// The property at the end of a key path; nil if the key path is not a chain of observed properties, each of the object before it.
    static func property<Root: KeyValueObservable>(of root: Root, _ keyPath: KeyPath<Root, Leaf>) -> CollectionProperty<Leaf>? {
        let finder = PropertyFinder(Unretained(root).erased)
        let value = finder.record { root[keyPath: keyPath] }
        // What an override works out is assigned by way of its setter.
        return finder.isChained && keyPath.isChain(of: finder.hops) && finder.isStored(value) ? finder.last : nil
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath
    ) {
        let keyPath = keyPath()
        hops.append(keyPath)
        isStored = { _ in true }
        if type(of: owner) != Owner.self, let storage = storage as? ReferenceWritableKeyPath<Owner, Observed<Leaf>> {
            isStored = { Bits.areSame(owner[keyPath: storage].value, $0) }
        }
        last = (keyPath as? ReferenceWritableKeyPath<Owner, Leaf>).flatMap { keyPath in
            switch storage {
            case let storage as ReferenceWritableKeyPath<Owner, Observed<Leaf>>: StoredCollection(owner, property, keyPath, storage)
            case let storage as ReferenceWritableKeyPath<Owner, AtomicObserved<Leaf>>: AtomicCollection(owner, property, keyPath, storage)
            default: nil
            }
        }
    }
}
