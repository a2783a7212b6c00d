import EnduranceKit
import Foundation
import SafeKVO
import SafeKVODiagnostics
import Synchronization

/// The threads and tasks of one run, and what is measured meanwhile.
final class Run: Sendable {
    private let arguments: Arguments
    private let shared = SharedWorld()
    private let mustStop = Atomic(false)
    private let running = Atomic<Int>(0)
    private let warnings = Atomic<Int>(0)
    private let rounds = Mutex<[String: Int]>([:])

    /// The number of threads, each with a world of its own.
    private static let threads = 2

    private let features: [Feature<World>]
    private let asynchronousFeatures: [AsynchronousFeature]

    init(_ arguments: Arguments) {
        self.arguments = arguments
        func isWanted(_ name: String) -> Bool { arguments.only.map { name.contains($0) } ?? true }
        features = (World.properties + World.lifetimes + World.events).filter { isWanted($0.name) }
        asynchronousFeatures = AsynchronousFeature.all.filter { isWanted($0.name) }
    }

    /// Runs until the time is over, and returns `true` if memory was flat and every result was right.
    @MainActor func isPassed() async -> Bool {
        ObservationDiagnostics.isRecording = true
        // Some features make mistakes on purpose.
        ObservationDiagnostics.warningHandler = { [self] _ in warnings.wrappingAdd(1, ordering: .relaxed) }
        let started = ContinuousClock.now
        start()
        var resident = Series("resident memory", unit: "B", margin: 4 << 20)
        var heap = Series("heap in use", unit: "B", margin: 256 << 10)
        var live = Series("living objects", unit: "", margin: 100)
        for second in 1...arguments.seconds {
            for _ in 0..<arguments.leak { Self.leak() }
            try? await Task.sleep(until: started + .seconds(second), clock: .continuous)
            resident.append(Resources.resident)
            heap.append(Resources.heap)
            live.append(Live.count)
            if second % 60 == 0 { print(line(second, resident, heap, live)) }
        }
        await stop()
        let elapsed = started.duration(to: .now)
        return report(elapsed, [resident, heap, live])
    }

    // MARK: The work

    private func start() {
        for index in 0..<Self.threads {
            running.wrappingAdd(1, ordering: .relaxed)
            let thread = Thread { self.work(index) }
            // A computed key path inside another one needs some stack.
            thread.stackSize = 4 << 20
            thread.start()
        }
        for index in 0..<2 {
            running.wrappingAdd(1, ordering: .relaxed)
            Task.detached { await self.workInTask(index) }
        }
    }

    private func work(_ index: Int) {
        var made: [String: Int] = [:]
        do {
            let world = World(seed: arguments.seed &+ UInt64(index), shared: shared, isFirst: index == 0)
            while !features.isEmpty, !mustStop.load(ordering: .relaxed) {
                let feature = features[world.numbers.below(features.count)]
                feature.run(world)
                made[feature.name, default: 0] += 1
            }
        }
        end(made)
    }

    private func workInTask(_ index: Int) async {
        var numbers = Numbers(seed: arguments.seed &+ 100 &+ UInt64(index))
        var made: [String: Int] = [:]
        while !asynchronousFeatures.isEmpty, !mustStop.load(ordering: .relaxed) {
            let feature = asynchronousFeatures[numbers.below(asynchronousFeatures.count)]
            await feature.run(shared)
            made[feature.name, default: 0] += 1
        }
        end(made)
    }

    private func end(_ made: [String: Int]) {
        rounds.withLock { $0.merge(made, uniquingKeysWith: +) }
        running.wrappingSubtract(1, ordering: .releasing)
    }

    @MainActor private func stop() async {
        mustStop.store(true, ordering: .relaxed)
        while running.load(ordering: .acquiring) > 0 { try? await Task.sleep(for: .milliseconds(10)) }
        // What hops and polls still hold goes with them.
        for _ in 0..<100 where Live.count > 1 { try? await Task.sleep(for: .milliseconds(20)) }
    }

    /// Makes two objects that retain each other: each observes the other with a controller that retains.
    private static func leak() {
        let (one, other) = (Song(), Song())
        one.own.observe(other, \.rating) { _, _ in }
        other.own.observe(one, \.rating) { _, _ in }
    }

    // MARK: The report

    private func line(_ second: Int, _ series: Series...) -> String {
        let values = series.map { "\($0.name) \($0.values.last ?? 0) \($0.unit)" }.joined(separator: ", ")
        return "\(second) s: \(values), processor \(Int(Resources.processorTime)) s"
    }

    private func report(_ elapsed: Duration, _ all: [Series]) -> Bool {
        let rounds = rounds.withLock { $0 }
        let names = features.map(\.name) + asynchronousFeatures.map(\.name)
        print("\nrounds of each feature:")
        for name in names { print("  \(rounds[name] ?? 0)  \(name)") }
        let time = "\(elapsed.components.seconds) s, \(Int(Resources.processorTime)) s of processor time"
        print("\n\(rounds.values.reduce(0, +)) rounds in \(time)")
        print("\(warnings.load(ordering: .relaxed)) warnings, which some features provoke")
        print("seed \(arguments.seed)\n")
        var isPassed = true
        func judge(_ isRight: Bool, _ text: String) {
            print("\(isRight ? "ok    " : "FAILED") \(text)")
            isPassed = isPassed && isRight
        }
        for series in all {
            let quarters = series.quarters.map { "\($0)" }.joined(separator: ", ")
            let values = series.values
            print("\(series.name): start \(values[0]), middle \(values[values.count / 2]), end \(values[values.count - 1]) \(series.unit)")
            let growth = "the last is above the second by \(series.growth ?? 0), at most \(series.margin)"
            judge(series.isFlat, "\(series.name): medians of the quarters: \(quarters); \(growth)")
        }
        // The meter that all threads share is alive.
        judge(Live.count == 1, "\(Live.count - 1) objects live after the end")
        let controllers = ObservationDiagnostics.snapshot().controllers.count
        judge(controllers == 0, "\(controllers) recorded controllers live after the end")
        let missing = names.filter { rounds[$0, default: 0] == 0 }
        judge(missing.isEmpty, "features that did not run: \(missing)")
        judge(shared.mistakes.count == 0, "\(shared.mistakes.count) wrong results")
        for mistake in shared.mistakes.first { print("       \(mistake)") }
        return isPassed
    }
}
