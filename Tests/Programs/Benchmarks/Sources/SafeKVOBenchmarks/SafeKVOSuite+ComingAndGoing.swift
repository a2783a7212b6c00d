import BenchmarkKit
import SafeKVO

/// The same numbers in each run.
private struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64 = 1

    /// The next number, of the generator splitmix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SafeKVOSuite {
    /// Adding and removing, one by one and all at once.
    static var comingAndGoing: [Benchmark] {
        [
            .once("first observation, each of 10000 objects", parts: 10_000) {
                let models = (0..<10_000).map { _ in Model() }
                let observing = Observing()
                return {
                    for model in models { observing.observe(model) }
                    return models.count &+ observing.view.sum
                }
            },
            .loop("add + remove, nobody else") {
                let model = Model()
                let observing = Observing()
                return { addAndRemove(model, observing, passes: $0) }
            },
            .loop("add + remove, with a controller of its own") {
                let (model, view, step) = (Model(), ModelView(), opaque(1))
                return { passes in
                    for _ in 0..<passes {
                        let observing = Observing(view)
                        observing.add(model, step)
                        consume(observing.remove(model))
                    }
                    return view.sum
                }
            },
            .loop("add + remove, key path first written elsewhere") {
                let observed = ObservedModel(observers: 1)
                let observing = Observing()
                return { addAndRemove(observed.model, observing, passes: $0) &+ observed.observing.count }
            },
            .loop("add + remove, .initial") {
                let (model, observing, step) = (Model(), Observing(), opaque(1))
                return { passes in
                    for _ in 0..<passes {
                        observing.controller.observe(model, \.first, options: [.initial, .new]) { view, _, change in
                            if let new = change.newValue { view.sum &+= new &* step }
                        }
                        consume(observing.remove(model))
                    }
                    return observing.view.sum
                }
            },
            .loop("add + remove, two key paths at once") {
                let (model, observing, step) = (Model(), Observing(), opaque(1))
                return { passes in
                    for _ in 0..<passes {
                        observing.controller.observeEach(model, [\.first, \.second]) { view, _, _ in view.sum &+= step }
                        consume(observing.controller.unobserve(model))
                    }
                    return observing.view.sum
                }
            },
            .loop("add + remove, a nested key path over a let") {
                let (shelf, observing, step) = (Shelf(), Observing(), opaque(1))
                return { passes in
                    for _ in 0..<passes {
                        observing.controller.observe(shelf, \.holder.model.first, options: []) { view, _, _ in view.sum &+= step }
                        consume(observing.controller.unobserve(shelf, \.holder.model.first))
                    }
                    return observing.view.sum
                }
            },
            // The object's creation counts too: see "create an object".
            .loop("create an object, add + remove a derived key path of two reads") {
                let (observing, step) = (Observing(), opaque(1))
                return { passes in
                    for _ in 0..<passes {
                        let model = make()
                        observing.controller.observe(model, \.sum, options: []) { view, _, _ in view.sum &+= step }
                        consume(observing.controller.unobserve(model, \.sum))
                    }
                    return observing.view.sum
                }
            },
            amongOthersOfSubject(1000), amongOthersOfSubject(100_000), amongOthersOfController(1000), amongOthersOfController(100_000),
            .once("tear down, each of 10000 subjects of 1 observer", parts: 10_000) {
                let models = (0..<10_000).map { _ in Model() }
                let observing = Observing()
                for model in models { observing.observe(model) }
                return { observing.controller.unobserveAll() &+ models.count }
            },
            .once("tear down, each of 10000 observers of 1 subject, in random order", parts: 10_000) {
                let observed = ObservedModel(observers: 10_000)
                var numbers = RandomNumbers()
                let controllers = observed.observing.map(\.controller).shuffled(using: &numbers)
                return { withExtendedLifetime(observed) { controllers.reduce(0) { $0 &+ $1.unobserveAll() } } }
            },
            .once("tear down, each of 10000 observers of 1 subject", parts: 10_000) {
                let observed = ObservedModel(observers: 10_000)
                let controllers = observed.observing.map(\.controller)
                return { withExtendedLifetime(observed) { controllers.reduce(0) { $0 &+ $1.unobserveAll() } } }
            },
        ]
    }

    private static func amongOthersOfSubject(_ others: Int) -> Benchmark {
        .loop("add + remove, \(others) others on the subject") {
            let model = Model()
            let present = (0..<others).map { _ in Observing() }
            for one in present { one.add(model, opaque(1)) }
            let observing = Observing()
            return { addAndRemove(model, observing, passes: $0) &+ present.count }
        }
    }

    /// Adds and removes for several subjects in turn: how long a search in the controller's table is depends on where one subject's address leads.
    private static func amongOthersOfController(_ others: Int) -> Benchmark {
        let subjects = 16
        return .loop("add + remove, \(others) others in the controller", parts: subjects) {
            let models = (0..<others).map { _ in Model() }
            let comers = (0..<subjects).map { _ in Model() }
            let observing = Observing()
            for model in models { observing.add(model, opaque(1)) }
            return { passes in comers.reduce(models.count) { $0 &+ addAndRemove($1, observing, passes: passes) } }
        }
    }
}
