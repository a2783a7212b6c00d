import BenchmarkKit
import SafeKVO
import SafeKVOEvents

/// An observed object that threads share, with a computed key.
private final class SharedSum: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) both properties are atomic.
    @AtomicObserved var first = 0
    @AtomicObserved var second = 0

    var sum: Int { first &+ second }

    @inline(never)
    func assign(_ value: Int) { first = value }
}

extension SafeKVOSuite {
    /// One thing that several threads use at once: the time of one operation, by all operations of all threads.
    static var contention: [Benchmark] {
        [
            contended("write an atomic property, 1 observer") {
                let (model, arrivals) = (SharedModel(), Arrivals())
                let observing = SharedObservationController(observer: arrivals)
                observing.observe(model, \.first, options: .new, on: .anyThread { arrivals, _, _ in arrivals.note() })
                return {
                    { passes in withExtendedLifetime((observing, arrivals)) { consume(model.set(passes: passes)) } }
                }
            },
            contended("write a dependency of a computed key, 1 observer") {
                let (model, arrivals) = (SharedSum(), Arrivals())
                let observing = SharedObservationController(observer: arrivals)
                observing.observe(model, \.sum, options: .new, on: .anyThread { arrivals, _, _ in arrivals.note() })
                return {
                    { passes in withExtendedLifetime((observing, arrivals)) { for pass in 0..<passes { model.assign(pass) } } }
                }
            },
            contended("add + remove, one controller") {
                let arrivals = Arrivals()
                let controller = SharedObservationController(observer: arrivals)
                return {
                    // Each thread observes an object of its own.
                    let model = SharedModel()
                    return { passes in
                        for _ in 0..<passes {
                            controller.observe(model, \.first, options: [], on: .anyThread { arrivals, _, _ in arrivals.note() })
                            consume(controller.unobserve(model, \.first))
                        }
                        withExtendedLifetime(arrivals) {}
                    }
                }
            },
            contended("post, one name, 1 observer") {
                let (center, arrivals) = (MessageCenter(), Arrivals())
                let controller = SharedObservationController(observer: arrivals)
                // A message with a name is not `Sendable`, so the handler gets what the transform makes of it.
                controller.observe(center, for: "name", transform: { _ in 1 }, on: .anyThread { arrivals, _ in arrivals.note() })
                let name: MessageName = "name"
                return {
                    { passes in withExtendedLifetime((controller, arrivals)) { for _ in 0..<passes { center.post(name) } } }
                }
            },
        ]
        .flatMap(\.self)
    }

    /// Makes a row for each number of threads.
    ///
    /// - Parameters:
    ///   - name: What the threads do.
    ///   - setUp: Makes what the threads share. Returns a function that each thread calls once, and that returns the loop of the thread.
    private static func contended(
        _ name: String, setUp: @escaping () -> @Sendable () -> (_ passes: Int) -> Void
    ) -> [Benchmark] {
        [1, 2, 4, 8].map { threads in
            .value(Threads.rowName(threads, name), .nanoseconds, rounds: .max) {
                let start = setUp()
                return withExtendedLifetime(start) { Threads.each(of: threads, setUp: start) }
            }
        }
    }
}
