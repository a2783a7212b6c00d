import KeyValueModel
import SafeKVO

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
