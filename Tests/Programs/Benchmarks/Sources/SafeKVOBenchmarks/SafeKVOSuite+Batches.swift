import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Changes of which observers are told once, at the end.
    static var batches: [Benchmark] {
        [
            batching("a batch of 10 sets, 1 observer: each set", sets: 10),
            batching("a batch of 1 set, 1 observer", sets: 1),
            summing("a batch over 100 elements of an observed sum: each element", elements: 100),
            summing("a batch over 1000 elements of an observed sum: each element", elements: 1000),
        ]
    }

    private final class Item: KeyValueObject {
        @Observed var price = 1
    }

    private final class Cart: KeyValueObject {
        @Observed var items: [Item] = []
        var total: Int { items.reduce(0) { $0 &+ $1.price } }
    }

    /// Each element changes once in the batch, and at its end the sum is computed once.
    private static func summing(_ name: String, elements: Int) -> Benchmark {
        .loop(name, parts: elements) {
            let cart = Cart()
            cart.items = (0..<elements).map { _ in Item() }
            let view = ModelView()
            let controller = ObservationController(observer: view)
            controller.observe(cart, \.total) { view, value in view.sum &+= value }
            return { passes in
                for _ in 0..<passes {
                    withBatchedChanges { for item in cart.items { item.price &+= 1 } }
                }
                return withExtendedLifetime(controller) { view.sum }
            }
        }
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
