import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// What a subject costs that nobody observes.
    static var unobserved: [Benchmark] {
        [
            .loop("set, nobody observes") {
                let model = Model()
                return { set(model, passes: $0) &+ model.first }
            },
            .loop("set, nobody observes, in a loop") {
                let model = Model()
                return { setInLoop(model, passes: $0) &+ model.first }
            },
            .loop("set, nobody observes, mutated in place elsewhere") {
                let model = Model()
                model.mutateInPlace()
                return { setMutated(model, passes: $0) &+ model.fifth }
            },
            .loop("change in place, nobody observes") {
                let model = Model()
                return { changeInPlace(model, passes: $0) &+ model.fifth }
            },
            .loop("set of a weak property, nobody observes") {
                let (model, other) = (WeakModel(), Model())
                return { set(model, to: other, passes: $0) &+ other.first }
            },
            .loop("get, nobody observes") {
                let model = Model()
                return { get(model, passes: $0) }
            },
            .loop("get, nobody observes, in a loop") {
                let model = Model()
                return { getInLoop(model, passes: $0) }
            },
            .loop("create an object") { { create(passes: $0) } },
            .loop("set, another property is observed") {
                let model = Model()
                let observing = Observing()
                observing.controller.observe(model, \.second) { view, value in view.sum &+= value }
                return { set(model, passes: $0) &+ observing.view.sum }
            },
            .loop("get, 1 observer") {
                let observed = ObservedModel(observers: 1)
                return { get(observed.model, passes: $0) &+ observed.observing.count }
            },
        ]
    }
}
