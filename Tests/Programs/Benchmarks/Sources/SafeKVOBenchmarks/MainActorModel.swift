import BenchmarkKit
import SafeKVO

/// A subject and its observer where most of them live.
@MainActor
final class MainActorModel {
    private let model = Model()
    private let observing = Observing()

    init() {
        let step = opaque(1)
        observing.controller.observe(model, \.first) { view, value in view.sum &+= value &* step }
    }

    func set(passes: Int) -> Int {
        SafeKVOBenchmarks.set(model, passes: passes) &+ observing.view.sum
    }
}
