import SafeKVOTesting
import TestSupport
import Testing

@testable import SafeKVO

/// Registrars that another object has got, or none.
extension ReplacedRegistrarTests {
    @Test("Objects that have exchanged their registrars may die in any order, or in a delivery", arguments: [true, false], [true, false])
    func exchangedRegistrars(retaining: Bool, isInside: Bool) {
        Warnings.listen()
        for isFirst in [true, false] {
            let (screen, tracker) = (Screen(), LifetimeTracker())
            let observations = retaining ? screen.observations : screen.notRetaining
            var one: Model? = tracker.track(Model())
            var two: Model? = tracker.track(Model())
            var ends: [ObservationEndReason] = []
            func exchange() {
                guard let first = one, let second = two else { return }
                swap(&first.keyValueRegistrar, &second.keyValueRegistrar)
            }
            func end() {
                if isFirst {
                    one = nil
                    two = nil
                } else {
                    two = nil
                    one = nil
                }
            }
            let log = EventLog<ObservationEndReason>()
            for model in [one, two] {
                observations.observe(
                    model, \.n, options: .new,
                    handler: { _, _, _ in
                        guard isInside else { return }
                        exchange()
                        end()
                    }, onTermination: { log.append($0) })
                if !isInside { observations.observe(model, \.sum, options: .new) { _, _, _ in } }
            }
            one?.n = 1
            exchange()
            end()
            ends = log.events
            observations.unobserveAll()
            #expect(tracker.survivors == [], "\(ends)")
            #expect(log.events.count == 2)
        }
    }

    @Test("A registrar that has left its object outlives it")
    func aRegistrarOutlivesItsObject() {
        Warnings.listen()
        struct Holder: ~Copyable { var registrar = KeyValueRegistrar() }
        for _ in 0..<100 {
            let screen = Screen()
            var holder = Holder()
            weak var last: Model?
            do {
                let model = Model()
                screen.notRetaining.observe(model, \.n) { _, _ in }
                screen.notRetaining.observe(model, \.items.count) { _, _ in }
                swap(&holder.registrar, &model.keyValueRegistrar)
                last = model
            }
            #expect(last == nil)
            // None of these can have the address of the old object, whose record would be taken for its own.
            let models = (0..<100).map { _ in Model() }
            for model in models { screen.observations.observe(model, \.n) { _, _ in } }
            models.last?.n = 1
            #expect(screen.notRetaining.unobserveAll() == 2)
            if let model = models.first { swap(&holder.registrar, &model.keyValueRegistrar) }
        }
    }

    @Test("A change through the registrar of another object ends the program with a message")
    func aChangeThroughAMovedRegistrar() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (one, two, screen) = (Model(), Model(), Screen())
            screen.observations.observe(one, \.n) { _, _ in }
            swap(&one.keyValueRegistrar, &two.keyValueRegistrar)
            two.n = 1
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("`Model.keyValueRegistrar` is not stored in the object itself."))
    }
}
