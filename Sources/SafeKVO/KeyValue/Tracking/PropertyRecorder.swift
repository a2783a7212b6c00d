/// Finds out whether a key path is exactly an observed property of its root: then the first thing its evaluation reads is that property,
/// by that key path.
class PropertyRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    final let root: Root
    final let keyPath: KeyPath<Root, Leaf>
    private final var isFirstRead = true
    /// The property, if that is what the key path is.
    private(set) final var property: UInt?

    init(root: Root, keyPath: KeyPath<Root, Leaf>) {
        self.root = root
        self.keyPath = keyPath
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        guard isFirstRead else { return }
        isFirstRead = false
        if owner === root, isExactly(keyPath()) { self.property = property }
    }

    /// Whether the key path is the property's own, as written in the class that declares it or in a subclass.
    private func isExactly<Owner: KeyValueObservable, Value>(_ canonical: ReferenceWritableKeyPath<Owner, Value>) -> Bool {
        if canonical == keyPath { return true }
        // `\Sub.x` and `\Base.x` differ in their type only. Behind a step that ends in the base class, the one type is left.
        guard Owner.self != Root.self, let canonical = canonical as KeyPath<Owner, Value> as? KeyPath<Owner, Leaf> else { return false }
        // SAFETY: the root is an `Owner`, so what reads a property of the one reads it of the other; and nothing is read here.
        let given = Unretained<KeyPath<Owner, Leaf>>(word: Unretained(keyPath).word)?.object
        let step: KeyPath<RootHolder<Owner>, Owner> = \.root
        return given.map { step.appending(path: canonical) == step.appending(path: $0) } ?? false
    }
}
