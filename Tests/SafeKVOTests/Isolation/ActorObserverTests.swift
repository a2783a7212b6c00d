import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 40: the plain forms in actors.
@Suite struct ActorObserverTests {
    final class Plant: KeyValueObject {
        @Observed var level = 0
    }

    final class SharedPlant: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    actor Gardener {
        let plant = Plant()
        var levels: [Int] = []
        private lazy var observations = ObservationController(observer: self)

        func watch() {
            observations.observe(plant, \.level) { gardener, level in gardener.levels.append(level) }
            observations.observe(plant, \.level, options: [.old, .new], tag: "changes") { gardener, plant, change in
                gardener.levels.append(plant.level * 100 + (change.oldValue ?? -1))
            }
        }

        /// Returns the line that is reported.
        func watch(_ plant: SharedPlant) -> UInt {
            observations.observe(plant, \.level, tag: "shared") { gardener, level in gardener.levels.append(level) }
            let line: UInt = #line + 1
            observations.observe(plant, \.level, options: .new, tag: "changes") { gardener, _, change in
                gardener.levels.append(100 + (change.newValue ?? -1))
            }
            return line
        }

        func watch(_ form: Form) -> [ObservationResult] {
            switch form {
            case .nonisolated: ActorObserverTests.register(plant, observations)
            case .isolated: ActorObserverTests.register(plant, observations, for: self)
            case .withoutIsolation:
                [observations.observe(plant, \.level, isolation: nil) { gardener, level in gardener.levels.append(level) }]
            }
        }

        func water() { plant.level += 1 }
        func water(_ plant: SharedPlant) { plant.level += 1 }

        var wrongIsolation: UInt64 { observations.counters.wrongIsolation }
    }

    @Test("Rule 40: an actor that observes what it owns gets itself isolated, at once")
    func anActorObservesWhatItOwns() async {
        let gardener = Gardener()
        await gardener.watch()
        await gardener.water()
        await gardener.water()
        #expect(await gardener.levels == [0, 1, 100, 2, 201])
    }

    enum Form { case nonisolated, isolated, withoutIsolation }

    /// Registers three forms, on no actor that the compiler knows.
    private static func register(_ plant: Plant, _ observations: ObservationController<Gardener>) -> [ObservationResult] {
        [
            observations.observe(plant, \.level) { gardener, level in gardener.levels.append(level) },
            observations.observe(plant, \.level, options: .new) { gardener, _, change in gardener.levels.append(change.newValue ?? -1) },
            observations.onChange(of: plant, \.level) { gardener, old, new in gardener.levels.append(new - old) },
        ]
    }

    /// Registers three forms on an actor.
    private static func register(
        _ plant: Plant, _ observations: ObservationController<Gardener>, for gardener: isolated Gardener
    ) -> [ObservationResult] {
        [
            observations.observe(plant, \.level) { gardener, level in gardener.levels.append(level) },
            observations.observe(plant, \.level, options: .new, tag: "change") { gardener, _, change in
                gardener.levels.append(100 * (change.newValue ?? -1))
            },
            observations.onChange(of: plant, \.level, tag: "pair") { gardener, old, new in gardener.levels.append(new - old) },
        ]
    }

    @Test("Rule 40: a helper of an actor takes it as an isolated parameter; otherwise it is refused, and the message says so")
    func aHelperTakesTheActorIsolated() async {
        Warnings.listen()
        let gardener = Gardener()
        let refused = await gardener.watch(.nonisolated)
        #expect(refused == Array(repeating: .refused(.handlerOfAnotherIsolation), count: 3))
        #expect(await gardener.watch(.withoutIsolation) == [.refused(.handlerOfAnotherIsolation)])
        await gardener.water()
        #expect(await gardener.levels == [])
        #expect(await gardener.watch(.isolated) == [.added, .added, .added])
        await gardener.water()
        #expect(await gardener.levels == [1, 2, 200, 1])
    }

    @Test("Rule 40: a change made outside the actor calls the value form one hop later, and is counted and reported in the change form")
    func aChangeElsewhereComesHome() async {
        Warnings.listen()
        let gardener = Gardener()
        let plant = SharedPlant()
        let line = await gardener.watch(plant)
        await gardener.water(plant)
        plant.level = 9
        await until { await gardener.levels.last == 9 }
        await gardener.water(plant)
        #expect(await gardener.levels == [0, 1, 101, 9, 10, 110])
        #expect(await gardener.wrongIsolation == 1)
        #expect(Warnings.about(line...line) == ["misplacedChange 0"])
    }
}
