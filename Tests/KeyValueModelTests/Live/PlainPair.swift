import KeyValueModel
import SafeKVO

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
