import BenchmarkKit
import Dispatch
import Synchronization

extension WeakDictionarySuite {
    /// A number under a lock, told to a list, and what people add to get it elsewhere.
    static var elsewhere: [Benchmark] {
        [
            byHand.value(.oneSubject, unit: .nanoseconds, rounds: .max) {
                let (number, arrivals, view) = (ListedNumber(), Arrivals(), PeerView())
                number.list.observers.add(view) { _, _, _ in arrivals.note() }
                return withExtendedLifetime(view) {
                    Threads.eachOfTwo(passes: 100_000) { passes in for pass in 0..<passes { number.set(pass) } }
                }
            },
            byHand.value(.hopToMainActor, unit: .nanoseconds, rounds: .max) {
                let (number, arrivals, view) = (ListedNumber(), Arrivals(), PeerView())
                number.list.observers.add(view) { view, _, new in
                    DispatchQueue.main.async { [weak view] in
                        view?.sum &+= new
                        arrivals.note()
                    }
                }
                return withExtendedLifetime(view) {
                    Transfers.measure(passes: 5000, arrivals: arrivals) { passes in for pass in 0..<passes { number.set(pass) } }
                }
            },
            byHand.loop(.sequence) {
                let (number, view, arrivals) = taken()
                return { passes in
                    for pass in 0..<passes { number.set(pass) }
                    arrivals.wait(for: passes)
                    return withExtendedLifetime(view) { passes }
                }
            },
            byHand.loop(.sequenceInStep) {
                let (number, view, arrivals) = taken()
                return { passes in
                    for pass in 0..<passes {
                        number.set(pass)
                        arrivals.wait(for: 1)
                    }
                    return withExtendedLifetime(view) { passes }
                }
            },
        ]
    }

    private static func taken() -> (ListedNumber, PeerView, Arrivals) {
        let (number, view, arrivals) = (ListedNumber(), PeerView(), Arrivals())
        let (values, continuation) = AsyncStream.makeStream(of: Int.self)
        number.list.observers.add(view) { _, _, new in continuation.yield(new) }
        Task.detached { for await _ in values { arrivals.note() } }
        return (number, view, arrivals)
    }
}
