import SafeKVO

/// Something that is done with one property of one node, of whatever type.
@MainActor protocol PlaceVisitor<Result> {
    associatedtype Result
    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) -> Result
}
