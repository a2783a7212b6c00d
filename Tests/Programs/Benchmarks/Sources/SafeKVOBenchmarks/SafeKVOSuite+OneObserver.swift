import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// One observer, in all the ways in which it can ask.
    static var oneObserver: [Benchmark] {
        [
            setting("set, 1 observer: value form") { controller, model, step in
                controller.observe(model, \.first) { view, value in view.sum &+= value &* step }
            },
            setting("set, 1 observer: change form") { controller, model, step in
                controller.observe(model, \.first, options: .new) { view, _, change in
                    if let new = change.newValue { view.sum &+= new &* step }
                }
            },
            setting("set, 1 observer: nothing captured") { controller, model, _ in
                controller.observe(model, \.first) { view, value in view.sum &+= value }
            },
            setting("set, 1 observer: [.old, .new]") { controller, model, step in
                controller.observe(model, \.first, options: [.old, .new]) { view, _, change in
                    if let new = change.newValue, let old = change.oldValue { view.sum &+= (new &- old) &* step }
                }
            },
            setting("set, 1 observer: .prior, each of 2 calls", parts: 2) { controller, model, step in
                controller.observe(model, \.first, options: [.new, .prior]) { view, _, change in
                    view.sum &+= change.isPrior ? step : (change.newValue ?? 0)
                }
            },
            setting("set, 1 observer: action") { controller, model, _ in
                controller.observe(model, \.first, action: ModelView.modelDidChange)
            },
            setting("set, 1 observer: several key paths") { controller, model, step in
                controller.observeEach(model, [\.first, \.second]) { view, _, change in
                    if let new = change.newValue as? Int { view.sum &+= new &* step }
                }
            },
            setting("set, 1 observer: removing duplicates") { controller, model, step in
                controller.observe(model, \.first, removing: .duplicates) { view, value in view.sum &+= value &* step }
            },
            setting("set, 1 observer: not retaining", retainsObserved: false) { controller, model, step in
                controller.observe(model, \.first, options: .new) { view, _, change in
                    if let new = change.newValue { view.sum &+= new &* step }
                }
            },
            .loop("set, 1 observer: a duplicate removed") {
                let model = Model()
                let observing = Observing()
                observing.controller.observe(model, \.first, removing: .duplicates) { view, value in view.sum &+= value }
                return { setEqual(model, passes: $0) &+ observing.view.sum }
            },
            .loop("change in place, 1 observer: value form") {
                let (model, observing, step) = (Model(), Observing(), opaque(1))
                observing.controller.observe(model, \.fifth) { view, value in view.sum &+= value &* step }
                return { changeInPlace(model, passes: $0) &+ observing.view.sum }
            },
            .loop("set of a weak property, 1 observer: value form") {
                let (model, other, observing, step) = (WeakModel(), Model(), Observing(), opaque(1))
                observing.controller.observe(model, \.other) { view, _ in view.sum &+= step }
                return { set(model, to: other, passes: $0) &+ observing.view.sum &+ other.first }
            },
            .loop("set, 1 observer: inherited property") {
                let (heir, observing, step) = (Heir(), Observing(), opaque(1))
                observing.controller.observe(heir, \.first) { view, value in view.sum &+= value &* step }
                return { set(heir, passes: $0) &+ observing.view.sum }
            },
            .loop("set, 1 observer: on the main actor") {
                let model = MainActor.assumeIsolated { MainActorModel() }
                return { passes in MainActor.assumeIsolated { model.set(passes: passes) } }
            },
        ]
    }

    /// Sets a model that one observer observes.
    static func setting(
        _ name: String, parts: Int = 1, retainsObserved: Bool = true,
        observe: @escaping (_ controller: ObservationController<ModelView>, _ model: Model, _ step: Int) -> Void
    ) -> Benchmark {
        .loop(name, parts: parts) {
            let model = Model()
            let observing = Observing(retainsObserved: retainsObserved)
            observe(observing.controller, model, opaque(1))
            return { set(model, passes: $0) &+ observing.view.sum }
        }
    }
}
