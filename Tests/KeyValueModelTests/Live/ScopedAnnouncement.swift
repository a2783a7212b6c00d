import KeyValueModel
import SafeKVO

/// Steps inside a change that a closure or a token announces.
struct ScopedAnnouncement: PlaceVisitor {
    let program: LiveProgram
    let body: [Step]

    func visit<Root: Base, Value>(_ root: Root, _ keyPath: KeyPath<Root, Value>) {
        func runBody() { for step in body { program.run(step) } }
        if body.count.isMultiple(of: 2) {
            root.withChange(of: keyPath) { runBody() }
        } else {
            let change = root.willChange(keyPath)
            runBody()
            change.didChange()
        }
    }
}
