import Foundation
import SafeKVO
import TestSupport

/// A random program of several threads, the main actor and other actors, which all use the same objects at once.
struct ConcurrentProgram {
    let seed: UInt64

    /// How long to wait for what is on its way.
    private static let patience = Threads.patience / 12
    private static let plantDrivers = 2

    /// Runs the program; returns what was wrong.
    @MainActor func run() async -> (findings: [String], program: String) {
        #if SAFEKVO_SCHEDULE_POINTS
            SchedulePoint.begin(seed: seed)
        #endif
        let (findings, population) = (Findings(), Population())
        let program = await run(findings, population)
        await Self.wait { population.alive.isEmpty }
        if !population.alive.isEmpty { findings.add("33 everything is freed", "\(population.alive)") }
        return (findings.lines, program)
    }

    @MainActor private func run(_ findings: Findings, _ population: Population) async -> String {
        var random = SeededGenerator(seed: seed)
        let operations = ConcurrentOperation.chosen(by: &random, leavesOutOpen: !ConcurrentOperation.isStrict && !seed.isMultiple(of: 2))
        if !ConcurrentOperation.isStrict, !ConcurrentOperation.open.isDisjoint(with: operations) { findings.leaveOutOpen() }
        // In a short program, nothing comes later that would bring a value that was lost.
        let steps = [5, 10, 20, 40, 80].randomElement(using: &random) ?? 20
        let threads = Int.random(in: 2...4, using: &random)
        let world = World(
            findings, population, mayPause: operations.contains(.pause) || operations.contains(.pauseOwn),
            mayAct: operations.contains(.act))
        let steady = await Steady.made(in: world, seed: random.next())
        let stage = Stage(.main, world)

        let running = Shared(threads + Self.plantDrivers)
        let start = Meeting(parties: threads)
        for thread in 0..<threads {
            let seed = random.next()
            TestSupport.Threads.start {
                #if SAFEKVO_SCHEDULE_POINTS
                    SchedulePoint.begin(thread: thread)
                #endif
                start.pass()
                Self.runThread(world, operations, steps, seed)
                running.with { $0 -= 1 }
            }
        }
        for driver in 0..<Self.plantDrivers {
            let seed = random.next()
            Task.detached {
                await Self.drive(driver, world, operations, steps, seed)
                running.with { $0 -= 1 }
            }
        }
        await Self.runMain(stage, world, operations, steps, seed: random.next())
        while running.current > 0 { try? await Task.sleep(for: .milliseconds(1)) }
        await settle(world, stage)
        steady.check(world)
        stage.end()
        world.end()
        await steady.end()
        await Self.wait { world.watches.current.allSatisfy(\.isOver) }
        for watch in world.watches.current { watch.checkEnded() }
        let names = operations.map(\.rawValue).joined(separator: ",")
        return "\(steps) steps of \(threads) threads and \(Self.plantDrivers + 1) others: \(names)"
    }

    // MARK: Participants

    private static func runThread(_ world: World, _ operations: [ConcurrentOperation], _ steps: Int, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stage = Stage(.thread(Watch.thread), world)
        for _ in 0..<steps { if let operation = operations.randomElement(using: &random) { stage.perform(operation, &random) } }
        stage.checkLast()
        stage.end()
    }

    @MainActor private static func runMain(
        _ stage: Stage, _ world: World, _ operations: [ConcurrentOperation], _ steps: Int, seed: UInt64
    ) async {
        var random = SeededGenerator(seed: seed)
        let region = stage.region
        for _ in 0..<steps {
            guard let operation = operations.randomElement(using: &random) else { return }
            if operation == .newScreen {
                let screen = Screen(world.population)
                if let cell = world.cells.randomElement(using: &random), let key = Cell.Key.allCases.randomElement(using: &random) {
                    screen.watch(cell, key, region, world)
                }
                world.orphan(screen)
            } else if operation == .track {
                stage.track()
            } else {
                stage.perform(operation, &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
        }
    }

    @concurrent private static func drive(
        _ driver: Int, _ world: World, _ operations: [ConcurrentOperation], _ steps: Int, _ seed: UInt64
    ) async {
        var random = SeededGenerator(seed: seed)
        var left = steps
        while left > 0 {
            let number = Int.random(in: 1...6, using: &random)
            left -= number
            if world.plants[driver].current == nil { world.newPlant(&random, place: driver) }
            let plant = world.plants[driver].current
            await plant?.perform(operations, number, in: world, seed: random.next())
        }
    }

    // MARK: The end

    @MainActor private func settle(_ world: World, _ stage: Stage) async {
        for desk in world.desks { desk.with { $0.controller }.resume() }
        let plants = world.plants.compactMap(\.current)
        let isSettled = await Self.wait {
            if !world.isSettled || !stage.isSettled { return false }
            for plant in plants where await !plant.settle(isLast: false) { return false }
            return true
        }
        // A handler that is called late may have made another change since.
        if isSettled { return }
        world.checkLast()
        stage.checkLast()
        for plant in plants { _ = await plant.settle(isLast: true) }
    }

    /// Waits until the condition is true, but not for ever; returns `false` if it has not come true.
    @discardableResult
    @MainActor private static func wait(_ condition: @MainActor () async -> Bool) async -> Bool {
        let limit = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < limit {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }
}

/// Observations that stay from before the first change until after the last one, so that their calls can be counted.
final class Steady: Sendable {
    private let onlooker: Onlooker
    private let controller: SharedObservationController<Onlooker>
    private let watches = Shared<[World.Wish]>([])

    private init(_ world: World) {
        onlooker = Onlooker(world.population)
        controller = SharedObservationController(observer: onlooker)
    }

    /// Registers in no isolation, on a thread of its own.
    static func made(in world: World, seed: UInt64) async -> Steady {
        let steady = Steady(world)
        await TestSupport.Threads.run {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                if let wish = world.observe(steady.controller, desk: nil, &random) { steady.watches.with { $0.append(wish) } }
            }
        }
        return steady
    }

    func check(_ world: World) {
        for wish in watches.current where wish.watch.form == .change {
            let cell = world.cells[wish.cell]
            if wish.key == .pure { wish.watch.checkPairs(from: 0, to: cell.pure.value) }
            wish.watch.checkMost(cell.mostChanges(of: wish.key))
        }
    }

    @concurrent func end() async {
        controller.invalidate()
        watches.with { $0 = [] }
    }
}
