// error: 'nil' is not compatible with expected argument type 'any Actor'
import Observation
import SafeKVO

@Observable final class Model {
    var count = 0
}

final class View {
    var count = 0
    private lazy var observations = ObservationController(observer: self)

    #if LEGAL
        @MainActor
    #endif
    func program(_ model: Model) {
        observations.observe(model, \.count) { view, count in view.count = count }
    }
}
