import BenchmarkKit
import SafeKVO

/// A subject and those who observe it.
struct ObservedModel {
    let model = Model()
    let observing: [Observing]

    init(observers: Int) {
        observing = (0..<observers).map { _ in Observing() }
        for one in observing { one.observe(model) }
    }

    /// Sets, and uses what the observers made of it.
    func set(passes: Int) -> Int {
        SafeKVOBenchmarks.set(model, passes: passes) &+ observing.reduce(0) { $0 &+ $1.view.sum }
    }
}
