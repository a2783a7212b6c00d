import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// What each of several observers of one property costs.
    static var manyObservers: [Benchmark] {
        [10, 100, 1000].map { count in
            .loop("set, each of \(count) observers: value form", parts: count) {
                let model = Model()
                let observing = (0..<count).map { _ in Observing() }
                let step = opaque(1)
                for one in observing { one.controller.observe(model, \.first) { view, value in view.sum &+= value &* step } }
                return { set(model, passes: $0) &+ observing.reduce(0) { $0 &+ $1.view.sum } }
            }
        } + [
            .loop("set, each of 100 observers: change form", parts: 100) {
                let observed = ObservedModel(observers: 100)
                return { observed.set(passes: $0) }
            }
        ]
    }
}
