import KeyValueModel
import SafeKVO

/// Something that is done with one property of one node, of whatever type.
protocol PlaceVisitor<Result> {
    associatedtype Result
    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) -> Result
}

/// Steps inside a scoped announcement.
struct ScopedAnnouncement: PlaceVisitor {
    let program: LiveProgram
    let body: [Step]

    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
        root.withChange(of: keyPath) {
            for step in body { program.run(step) }
        }
    }
}

/// Steps between a will and a did call.
struct PlainPair: PlaceVisitor {
    let program: LiveProgram
    let body: [Step]

    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
        root.willChangeValue(for: keyPath)
        for step in body { program.run(step) }
        root.didChangeValue(for: keyPath)
    }
}

/// A did call alone.
struct PlainDid: PlaceVisitor {
    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
        root.didChangeValue(for: keyPath)
    }
}
