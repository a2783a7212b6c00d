import BenchmarkKit
import SafeKVO

/// An observer with its controller.
struct Observing {
    let view: ModelView
    let controller: ObservationController<ModelView>

    init(_ view: ModelView = ModelView(), retainsObserved: Bool = true) {
        self.view = view
        controller = ObservationController(observer: view, retainsObserved: retainsObserved)
    }

    /// Observes as the rows about many observations do: one change with its new value.
    func observe(_ model: Model) {
        let step = opaque(1)
        controller.observe(model, \.first, options: .new) { view, _, change in
            if let value = change.newValue { view.sum &+= value &* step }
        }
    }

    /// Observes with a handler that is told nothing.
    @inline(never)
    func add(_ model: Model, _ step: Int) {
        controller.observe(model, \.first, options: []) { view, _, _ in view.sum &+= step }
    }

    /// Removes what ``add(_:_:)`` added.
    @inline(never)
    func remove(_ model: Model) -> Int {
        controller.unobserve(model, \.first)
    }
}

/// An observer of signals and messages, with its controller.
struct Listening {
    let view = SharedView()
    let controller: ObservationController<SharedView>

    init() { controller = ObservationController(observer: view) }
}
