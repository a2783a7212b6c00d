import KeyValueModel
import SafeKVO

/// A did call alone.
struct PlainDid: PlaceVisitor {
    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
        root.didChangeValue(for: keyPath)
    }
}
