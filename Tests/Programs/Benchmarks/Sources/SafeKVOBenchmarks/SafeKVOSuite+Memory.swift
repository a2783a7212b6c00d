import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    private static let count = 200_000

    /// What observations and subjects take up.
    ///
    /// Controllers and subjects are there before the counting starts; tables that grow with the observations count. What a handler captures
    /// is not the library's: these capture nothing.
    static var memory: [Benchmark] {
        [
            .value("bytes an observation, 200000 observers of 1 subject", .bytes, rounds: 2) {
                let model = Model()
                let observing = (0..<count).map { _ in Observing() }
                let growth = Heap.growth { for one in observing { observe(one, model) } }
                withExtendedLifetime((model, observing)) {}
                return Double(growth.bytes) / Double(count)
            },
            .value("bytes an observation, 200000 subjects of 1 observer", .bytes, rounds: 2) {
                let models = (0..<count).map { _ in Model() }
                let observing = Observing()
                let growth = Heap.growth { for model in models { observe(observing, model) } }
                withExtendedLifetime((models, observing)) {}
                return Double(growth.bytes) / Double(count)
            },
            .value("bytes of a controller and its first observation of an object", .bytes, rounds: 2) {
                let models = (0..<count).map { _ in Model() }
                let views = (0..<count).map { _ in ModelView() }
                let growth = Heap.growth {
                    zip(models, views).map { model, view in
                        let observing = Observing(view)
                        observe(observing, model)
                        return observing.controller
                    }
                }
                withExtendedLifetime((models, views, growth.built)) {}
                // The array that holds the controllers is not theirs.
                return Double(growth.bytes) / Double(count) - Double(MemoryLayout<Int>.size)
            },
            .value("bytes a subject pays that nobody observes", .bytes, rounds: 2) {
                let one = bytes { OneObserved() } - bytes { OnePlain() }
                let two = bytes { TwoObserved() } - bytes { TwoPlain() }
                return (one + two) / 2
            },
        ]
    }

    private static func observe(_ observing: Observing, _ model: Model) {
        observing.controller.observe(model, \.first, options: .new) { view, _, change in view.sum &+= change.newValue ?? 0 }
    }

    /// What one of many objects takes up.
    private static func bytes(_ make: () -> AnyObject) -> Double {
        let growth = Heap.growth { (0..<count).map { _ in make() } }
        consume(growth.built.count)
        return Double(growth.bytes) / Double(count)
    }
}
