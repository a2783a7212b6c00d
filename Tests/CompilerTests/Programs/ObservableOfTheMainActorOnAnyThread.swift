// error: type 'KeyPath<Model, Int>' does not conform to the 'Sendable' protocol
import Observation
import SafeKVO

@MainActor @Observable final class Model {
    var count = 0
}

final class Log: Sendable {}

@MainActor func program(_ model: Model, _ observations: ObservationController<Log>) {
    #if LEGAL
        observations.observe(model, \.count) { _, count in print(count) }
    #else
        observations.observe(model, \.count, on: .anyThread { _, count in print(count) })
    #endif
}
