import BenchmarkKit
import Dispatch

extension LimitSuite {
    /// Values that are handed on to another thread or task, with nothing else.
    static var elsewhere: [Benchmark] {
        [
            .value("limit: hop to the main queue", .nanoseconds, rounds: .max) {
                let (arrivals, observer) = (Arrivals(), LimitObserver())
                return Transfers.measure(passes: 5000, arrivals: arrivals) { passes in
                    for pass in 0..<passes {
                        DispatchQueue.main.async { [weak observer] in
                            observer?.sum &+= pass
                            arrivals.note()
                        }
                    }
                }
            },
            .loop("limit: AsyncStream, each value taken") {
                let (continuation, arrivals) = stream()
                return { passes in
                    for pass in 0..<passes { continuation.yield(pass) }
                    arrivals.wait(for: passes)
                    return passes
                }
            }
            .waiting,
            .loop("limit: AsyncStream, each value waited for") {
                let (continuation, arrivals) = stream()
                return { passes in
                    for pass in 0..<passes {
                        continuation.yield(pass)
                        arrivals.wait(for: 1)
                    }
                    return passes
                }
            }
            .waiting,
        ]
    }

    private static func stream() -> (AsyncStream<Int>.Continuation, Arrivals) {
        let (values, continuation) = AsyncStream.makeStream(of: Int.self)
        let arrivals = Arrivals()
        Task.detached { for await _ in values { arrivals.note() } }
        return (continuation, arrivals)
    }
}
