// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
import Observation
import SafeKVO

@Observable final class Model {
    var count = 0
}

@MainActor final class View {
    var count = 0
    private lazy var observations = ObservationController(observer: self)

    func program() async {
        let model = Model()
        #if LEGAL
            observations.unobserveAll()
        #else
            observations.observe(model, \.count) { view, count in view.count = count }
        #endif
        await Task.detached { model.count = 1 }.value
    }
}
