import BenchmarkKit
import SafeKVO

/// An observer with its controller.
struct Observing {
    let view: ModelView
    let controller: ObservationController<ModelView>

    init(retainsObserved: Bool = true) {
        view = ModelView()
        controller = ObservationController(observer: view, retainsObserved: retainsObserved)
    }

    /// Observes as the rows about many observations do: one change with its new value.
    func observe(_ model: Model) {
        let step = opaque(1)
        controller.observe(model, \.first, options: .new) { view, _, change in
            if let value = change.newValue { view.sum &+= value &* step }
        }
    }
}
