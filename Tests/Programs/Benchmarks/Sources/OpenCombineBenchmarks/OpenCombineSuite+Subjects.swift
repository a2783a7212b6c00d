import BenchmarkKit
import Dispatch
import OpenCombine
import OpenCombineDispatch

extension OpenCombineSuite {
    /// Rows of subjects without a present value: what is sent is gone.
    static var passthroughRows: [Benchmark] {
        let own = OpenCombineRows(passthrough, PassthroughModel.self)
        return own.derivedByReading + shared(passthrough, values: 0) { PassthroughSubject<Int, Never>() } + [
            passthrough.loop(.duplicate) {
                let (model, view) = (PassthroughModel(()), PeerView())
                let token = PassthroughModel.sink(model.firstValues.removeDuplicates(), view)
                return { passes in
                    consume(model.setEqual(passes: passes))
                    return withExtendedLifetime(token) { view.sum }
                }
            },
            sending([.send, .post, .postNumber, .postType], observers: 1), sending([.postToMany], observers: 100),
            sending([.postToNobody], observers: 0),
        ]
    }

    private static func sending(_ cases: [Case], observers: Int) -> Benchmark {
        Benchmark.loop("\(passthrough.name): send, each of \(observers) observers", parts: max(1, observers)) {
            let subject = PassthroughSubject<Int, Never>()
            let views = (0..<observers).map { _ in PeerView() }
            let tokens = views.map { PassthroughModel.sink(subject, $0) }
            return { passes in
                for pass in 0..<passes { subject.send(pass) }
                return withExtendedLifetime(tokens) { views.reduce(0) { $0 &+ $1.sum } }
            }
        }
        .by(passthrough, cases)
    }

    /// A subject that threads share; the first values come at the start.
    static func shared<Values: Subject & SendableMetatype>(
        _ contender: Contender, values first: Int, _ make: @escaping () -> Values
    ) -> [Benchmark] where Values.Output == Int, Values.Failure == Never {
        [
            contender.value(.oneSubject, unit: .nanoseconds, rounds: .max) {
                let subject = Shared(make())
                let arrivals = Arrivals()
                let token = subject.value.sink { [weak arrivals] _ in arrivals?.note() }
                return withExtendedLifetime((token, arrivals)) {
                    Threads.eachOfTwo(passes: 100_000) { passes in for pass in 0..<passes { subject.value.send(pass) } }
                }
            },
            contender.value(.hopToMainActor, unit: .nanoseconds, rounds: .max) {
                let subject = Shared(make())
                let (arrivals, view) = (Arrivals(), PeerView())
                let token = subject.value.receive(on: DispatchQueue.main.ocombine).sink { [weak view] value in
                    view?.sum &+= value
                    arrivals.note()
                }
                Transfers.pass(first, arrivals)
                return withExtendedLifetime((token, view)) {
                    Transfers.measure(passes: 5000, arrivals: arrivals) { passes in for pass in 0..<passes { subject.value.send(pass) } }
                }
            },
            contender.loop(.sequence) {
                let subject = Shared(make())
                let arrivals = take(subject.value, first)
                return { passes in
                    for pass in 0..<passes { subject.value.send(pass) }
                    arrivals.wait(for: passes)
                    return passes
                }
            },
            contender.loop(.sequenceInStep) {
                let subject = Shared(make())
                let arrivals = take(subject.value, first)
                return { passes in
                    for pass in 0..<passes {
                        subject.value.send(pass)
                        arrivals.wait(for: 1)
                    }
                    return passes
                }
            },
        ]
    }

    /// Has a task take the values of a subject; buffered, because what nobody waits for is gone.
    private static func take(_ subject: some Subject<Int, Never> & SendableMetatype, _ first: Int) -> Arrivals {
        let arrivals = Arrivals()
        let iterator = Shared(subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator())
        Task.detached {
            var iterator = iterator.value
            while await iterator.next() != nil { arrivals.note() }
        }
        arrivals.wait(for: first)
        return arrivals
    }
}
