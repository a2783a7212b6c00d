import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// What each of several observers of one property costs.
    static var manyObservers: [Benchmark] {
        [10, 100, 1000].map { count in
            .loop("set, each of \(count) observers", parts: count) {
                let observed = ObservedModel(observers: count)
                return { observed.set(passes: $0) }
            }
        }
    }
}
