import Dispatch
import SafeKVO
import TestSupport

/// An actor that owns a region, and may die at any time.
protocol Plant: Actor {
    var stage: Stage { get }
    var observations: ObservationController<Self> { get }
    var calls: Int { get set }
}

extension Plant {
    func perform(_ operations: [ConcurrentOperation], _ steps: Int, in world: World, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let before = stage.region.enter("an actor")
        for _ in 0..<steps {
            guard let operation = operations.randomElement(using: &random) else { break }
            switch operation {
            case .observeOnActor: observe(world, &random)
            case .track: stage.track()
            default: stage.perform(operation, &random)
            }
        }
        stage.region.leave(before)
    }

    private func observe(_ world: World, _ random: inout SeededGenerator) {
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

    /// An isolated deinit calls this: it uses the region for a while, and ends everything there.
    func wither() {
        let before = stage.region.enter("the deinit of an actor")
        for _ in 0..<20 { stage.region.use("the deinit of an actor") }
        stage.end()
        stage.region.leave(before)
    }
}

/// A plant whose deinit runs in its isolation.
actor Tree: Plant {
    let stage: Stage
    private(set) lazy var observations = ObservationController(observer: self)
    var calls = 0
    private let life: Life

    init(_ world: World) {
        stage = Stage(.actor, world)
        life = Life("tree", world.population)
    }

    isolated deinit { wither() }
}

/// A plant whose deinit runs wherever its last reference is dropped.
actor Bush: Plant {
    let stage: Stage
    private(set) lazy var observations = ObservationController(observer: self)
    var calls = 0
    private let life: Life

    init(_ world: World) {
        stage = Stage(.actor, world)
        life = Life("bush", world.population)
    }
}

/// A plant on a queue of its own, so that it is known whether something happens in its isolation; its deinit runs there, too.
actor Reed: Plant {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "reed")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            // SAFETY: the closure retains the executor while its job runs.
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    let stage: Stage
    private(set) lazy var observations = ObservationController(observer: self)
    var calls = 0
    private let life: Life

    init(_ world: World) {
        stage = Stage(.queue(Region.number(executor.queue)), world)
        life = Life("reed", world.population)
    }

    isolated deinit { wither() }
}

extension World {
    /// Replaces a plant; the old one may die here.
    func newPlant(_ random: inout SeededGenerator, place: Int? = nil) {
        let place = place ?? Int.random(in: 0..<plants.count, using: &random)
        let fresh: any Plant =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: Tree(self)
            case 1: Bush(self)
            default: Reed(self)
            }
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
