import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// The name of the row that the one with `on:` is compared with.
    public static let sharedOnMainActor = "set of an atomic property on the main actor, 1 observer there: change form"
    static let sharedOnActor = "set of an atomic property, 1 observer that is an actor: each hop"

    /// Where handlers run.
    static var isolation: [Benchmark] {
        [
            main("set of an atomic property on the main actor, 1 observer there: value form") { controller, model, step in
                controller.observe(model, \.first) { view, value in view.sum &+= value &* step }
            },
            main(sharedOnMainActor) { controller, model, step in
                controller.observe(model, \.first, options: .new) { view, _, change in
                    if let new = change.newValue { view.sum &+= new &* step }
                }
            },
            main(sharedOnMainActor + ", on: the main actor") { controller, model, step in
                controller.observe(
                    model, \.first, options: .new,
                    on: .mainActor { view, _, change in
                        if let new = change.newValue { view.sum &+= new &* step }
                    })
            },
            .loop(sharedOnActor) {
                let (model, log, arrivals) = (SharedModel(), SharedModelLog(), Arrivals())
                let controller = ObservationController(observer: log)
                controller.observe(
                    model, \.first, options: .new,
                    on: .observer { log, _, change in
                        log.sum &+= change.newValue ?? 0
                        arrivals.note()
                    })
                return { passes in
                    let sum = model.set(passes: passes)
                    arrivals.wait(for: passes)
                    return withExtendedLifetime((controller, log)) { sum }
                }
            }
            .waiting,
            .value("set of an atomic property elsewhere, 1 observer on the main actor: each hop", .nanoseconds, rounds: .max) {
                let (model, arrivals) = (SharedModel(), Arrivals())
                let controller = ObservationController(observer: arrivals)
                controller.observe(model, \.first, options: .new, on: .mainActor { arrivals, _, _ in arrivals.note() })
                return withExtendedLifetime(controller) {
                    Transfers.measure(passes: 5000, arrivals: arrivals) { consume(model.set(passes: $0)) }
                }
            },
            elsewhere("value form, comes home") { controller, model, arrivals in
                controller.observe(model, \.first, initial: false) { _, value in arrivals.note(value + 1) }
            },
            elsewhere("value form, on: the main actor") { controller, model, arrivals in
                controller.observe(model, \.first, initial: false, on: .mainActor { _, value in arrivals.note(value + 1) })
            },
            .loop("set of an atomic property, 1 sequence: each set waits until its value is taken") {
                let (model, log, arrivals) = (SharedModel(), SharedModelLog(), Arrivals())
                let controller = SharedObservationController(observer: log)
                let changes = controller.changes(of: model, \.first)
                let task = Task.detached { for await _ in changes { arrivals.note() } }
                return { passes in
                    for pass in 0..<passes {
                        model.assign(pass)
                        arrivals.wait(for: 1)
                    }
                    return withExtendedLifetime((controller, log, task)) { passes }
                }
            }
            .waiting,
            .loop("set of an atomic property, 1 sequence: each value taken") {
                let (model, log, arrivals) = (SharedModel(), SharedModelLog(), Arrivals())
                let controller = SharedObservationController(observer: log)
                let changes = controller.changes(of: model, \.first)
                let task = Task.detached { for await _ in changes { arrivals.note() } }
                return { passes in
                    let sum = model.set(passes: passes)
                    arrivals.wait(for: passes)
                    return withExtendedLifetime((controller, log, task)) { sum }
                }
            }
            .waiting,
        ]
    }

    /// Changes made on another thread, until the last value has arrived on the main actor.
    private static func elsewhere(
        _ name: String,
        observe: @escaping @MainActor (_ controller: ObservationController<Arrivals>, _ model: SharedModel, _ arrivals: Arrivals) -> Void
    ) -> Benchmark {
        .value("set of an atomic property elsewhere, 1 observer on the main actor: " + name + ": each set", .nanoseconds, rounds: .max) {
            MainActor.assumeIsolated {
                let (model, arrivals) = (SharedModel(), Arrivals())
                let controller = ObservationController(observer: arrivals)
                observe(controller, model, arrivals)
                return withExtendedLifetime(controller) {
                    Transfers.measure(passes: 5000, arrivals: arrivals) { consume(model.set(passes: $0)) }
                }
            }
        }
    }

    private static func main(
        _ name: String,
        observe: @escaping @MainActor (_ controller: ObservationController<SharedModelView>, _ model: SharedModel, _ step: Int) -> Void
    ) -> Benchmark {
        .loop(name) {
            let model = MainActor.assumeIsolated { SharedMainModel(observe) }
            return { passes in MainActor.assumeIsolated { model.set(passes: passes) } }
        }
    }
}
