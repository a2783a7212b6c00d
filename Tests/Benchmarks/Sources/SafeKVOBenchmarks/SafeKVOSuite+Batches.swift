import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Changes of which observers are told once, at the end.
    static var batches: [Benchmark] {
        [
            batching("a batch of 10 sets, 1 observer: each set", sets: 10),
            batching("a batch of 1 set, 1 observer", sets: 1),
        ]
    }

    private static func batching(_ name: String, sets: Int) -> Benchmark {
        .loop(name, parts: sets) {
            let observed = ObservedModel(observers: 1)
            return { passes in
                for pass in 0..<passes {
                    withBatchedChanges { for number in 0..<sets { assign(pass &+ number, to: observed.model) } }
                }
                return observed.observing.reduce(0) { $0 &+ $1.view.sum }
            }
        }
    }
}
