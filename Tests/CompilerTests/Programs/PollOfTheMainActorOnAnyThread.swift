// error: type 'KeyPath<Model, Int>' does not conform to the 'Sendable' protocol
import SafeKVO

@MainActor final class Model {
    var count = 0
}

final class Log: Sendable {}

@MainActor func program(_ model: Model, _ observations: ObservationController<Log>) {
    #if LEGAL
        observations.poll(model, \.count, every: .seconds(1)) { _, count in print(count) }
    #else
        observations.poll(model, \.count, every: .seconds(1), on: .anyThread { _, count in print(count) })
    #endif
}
