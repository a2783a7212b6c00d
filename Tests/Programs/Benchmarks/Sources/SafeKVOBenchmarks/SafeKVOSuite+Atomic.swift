import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Atomic properties on one thread, and the form whose handlers run on any thread.
    static var atomic: [Benchmark] {
        [
            .loop("set of an atomic property, nobody observes") {
                let model = SharedModel()
                return { model.set(passes: $0) &+ model.first }
            },
            setting("set of an atomic property, 1 observer: value form, on: any thread") { controller, model, step in
                controller.observe(model, \.first, on: .anyThread { view, value in view.sum &+= value &* step })
            },
            setting("set of an atomic property, 1 observer: change form, on: any thread") { controller, model, step in
                controller.observe(
                    model, \.first, options: .new,
                    on: .anyThread { view, _, change in
                        if let new = change.newValue { view.sum &+= new &* step }
                    })
            },
        ]
    }

    private static func setting(
        _ name: String, observe: @escaping (_ controller: ObservationController<SharedView>, _ model: SharedModel, _ step: Int) -> Void
    ) -> Benchmark {
        .loop(name) {
            let (model, view) = (SharedModel(), SharedView())
            let controller = ObservationController(observer: view)
            observe(controller, model, opaque(1))
            return { passes in withExtendedLifetime(controller) { model.set(passes: passes) &+ view.sum } }
        }
    }
}
