import SafeKVO
import TestSupport

/// An actor that owns a region, and may die at any time.
protocol Plant: Actor {
    init(_ world: World, mayPause: Bool)
    func perform(_ operations: [ConcurrentOperation], _ steps: Int, seed: UInt64)
    func settle(isLast: Bool) -> Bool
}

/// A plant whose deinit runs in its isolation, and uses its region.
actor Tree: Plant {
    private let stage: Stage
    private let life: Life
    private let world: World
    private lazy var observations = ObservationController(observer: self)
    private var calls = 0

    init(_ world: World, mayPause: Bool) {
        stage = Stage(.actor, world, mayPause: mayPause)
        life = Life("tree", world.population)
        self.world = world
    }

    func perform(_ operations: [ConcurrentOperation], _ steps: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let before = stage.region.enter("an actor")
        for _ in 0..<steps {
            guard let operation = operations.randomElement(using: &random) else { break }
            switch operation {
            case .observeOnActor: observe(&random)
            case .track: stage.track()
            default: stage.perform(operation, &random)
            }
        }
        stage.region.leave(before)
    }

    private func observe(_ random: inout SeededGenerator) {
        guard let key = Cell.Key.allCases.randomElement(using: &random), let cell = world.cells.randomElement(using: &random) else {
            return
        }
        let watch = Watch("value of a shared \(key) on an actor", .value, grows: key.grows, world.findings)
        let result = observations.observe(
            cell, key.keyPath, ifAlreadyObserved: .replace,
            handler: { plant, value in
                plant.assertIsolated()
                plant.calls += 1
                watch.value(value)
            }, onTermination: { watch.terminated($0) })
        if result.isObserving { world.note(watch) }
    }

    func settle(isLast: Bool) -> Bool {
        if isLast { stage.checkLast() }
        return stage.isSettled
    }

    isolated deinit {
        let before = stage.region.enter("the deinit of an actor")
        for _ in 0..<20 { stage.region.use("the deinit of an actor") }
        stage.end()
        stage.region.leave(before)
    }
}

/// A plant whose deinit runs wherever its last reference is dropped.
actor Bush: Plant {
    private let stage: Stage
    private let life: Life

    init(_ world: World, mayPause: Bool) {
        stage = Stage(.actor, world, mayPause: mayPause)
        life = Life("bush", world.population)
    }

    func perform(_ operations: [ConcurrentOperation], _ steps: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let before = stage.region.enter("an actor")
        for _ in 0..<steps { if let operation = operations.randomElement(using: &random) { stage.perform(operation, &random) } }
        stage.region.leave(before)
    }

    func settle(isLast: Bool) -> Bool {
        if isLast { stage.checkLast() }
        return stage.isSettled
    }
}

extension World {
    /// Replaces a plant; the old one may die here.
    func newPlant(_ random: inout SeededGenerator, place: Int? = nil) {
        let place = place ?? Int.random(in: 0..<plants.count, using: &random)
        let fresh: any Plant = Bool.random(using: &random) ? Tree(self, mayPause: mayPause) : Bush(self, mayPause: mayPause)
        let old = plants[place].exchange(fresh)
        withExtendedLifetime(old) {}
    }
}

/// An observer of the main actor that dies wherever its last reference is dropped, and its controller with it.
@MainActor final class Screen {
    private lazy var observations = ObservationController(observer: self)
    private var calls = 0
    private let life: Life

    init(_ population: Population) { life = Life("screen", population) }

    func watch(_ cell: Cell, _ key: Cell.Key, _ region: Region, _ world: World) {
        let watch = Watch("value of a shared \(key) on a screen", .value, grows: key.grows, world.findings)
        let canary = Canary(region, world.population)
        let result = observations.observe(
            cell, key.keyPath,
            handler: { screen, value in
                MainActor.assertIsolated()
                screen.calls += 1
                canary.region.use("a handler")
                watch.value(value)
            }, onTermination: { watch.terminated($0) })
        if result.isObserving { world.note(watch) }
    }
}
