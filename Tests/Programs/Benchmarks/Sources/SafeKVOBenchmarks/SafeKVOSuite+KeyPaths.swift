import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Key paths that are more than a property, with one observer.
    static var keyPaths: [Benchmark] {
        [
            // What the others are compared with: a direct key path, and the getter by the side.
            beside("set, 1 observer, and a read of a derived key path", \.sum),
            setting("set, 1 observer: derived key path") { controller, model, step in
                controller.observe(model, \.sum) { view, value in view.sum &+= value &* step }
            },
            setting("set, 1 observer: derived key path, [.old, .new]") { controller, model, step in
                controller.observe(model, \.sum, options: [.old, .new]) { view, _, change in
                    if let new = change.newValue { view.sum &+= new &* step }
                }
            },
            .loop("set, 1 observer: derived key path of a generic class") {
                let (pair, observing, step) = (Pair<Int>(), Observing(), opaque(1))
                observing.controller.observe(pair, \.sum) { view, value in view.sum &+= value &* step }
                return { set(pair, passes: $0) &+ observing.view.sum }
            },
            .loop("set, 1 observer: nested key path over a let, at the end") {
                let (shelf, observing, step) = (Shelf(), Observing(), opaque(1))
                observing.controller.observe(shelf, \.holder.model.first) { view, value in view.sum &+= value &* step }
                return { set(shelf.holder.model, passes: $0) &+ observing.view.sum }
            },
            nested("set, 1 observer: nested key path", \.child.first) { $0.child },
            nested("set, 1 observer: nested key path of five hops, at the end", \.next.next.next.child.first) { $0.next.next.next.child },
            head("set, 1 observer: nested key path of five hops, at the head", \.next.next.next.child.first),
        ]
    }

    private static func beside(_ name: String, _ keyPath: KeyPath<Model, Int>) -> Benchmark {
        .loop(name) {
            let model = Model()
            let observing = Observing()
            let step = opaque(1)
            observing.controller.observe(model, \.first) { view, value in view.sum &+= value &* step }
            return { setAndRead(model, keyPath, passes: $0) &+ observing.view.sum }
        }
    }

    private static func nested(_ name: String, _ keyPath: KeyPath<Parent, Int>, leaf: @escaping (Parent) -> Model) -> Benchmark {
        .loop(name) {
            let parent = Parent(depth: 4)
            let observing = Observing()
            let step = opaque(1)
            observing.controller.observe(parent, keyPath) { view, value in view.sum &+= value &* step }
            let leaf = leaf(parent)
            return { set(leaf, passes: $0) &+ observing.view.sum }
        }
    }

    private static func head(_ name: String, _ keyPath: KeyPath<Parent, Int>) -> Benchmark {
        .loop(name) {
            let parent = Parent(depth: 4)
            let others = [Parent(depth: 3), Parent(depth: 3)]
            let observing = Observing()
            let step = opaque(1)
            observing.controller.observe(parent, keyPath) { view, value in view.sum &+= value &* step }
            return { passes in
                setNext(parent, to: others, passes: passes)
                return observing.view.sum
            }
        }
    }
}
