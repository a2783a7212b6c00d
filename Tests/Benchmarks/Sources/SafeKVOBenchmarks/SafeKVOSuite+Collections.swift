import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Edits of an array through its proxy.
    static var collections: [Benchmark] {
        [1000, 1_000_000].map { count in
            .loop("append + remove the last through the proxy, \(count) elements") {
                let list = List(count: count)
                let observing = Observing()
                let step = opaque(1)
                observing.controller.observe(list, \.items, options: .new) { view, _, change in
                    if let new = change.newValue?.first { view.sum &+= new &* step }
                }
                let items = list.mutableArrayValue(for: \.items)
                return { passes in
                    for pass in 0..<passes {
                        items.append(pass)
                        items.removeLast()
                    }
                    return observing.view.sum
                }
            }
        }
    }
}
