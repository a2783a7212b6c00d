import Dispatch
import SafeKVO
import SafeKVOTesting
import Synchronization
import Testing

/// Observations of actors that run on an executor of the program.
@Suite struct CustomExecutorTests {
    private final class Executor: SerialExecutor {
        /// What the program does when the runtime compares two executors.
        let hook = Mutex<(@Sendable () -> Void)?>(nil)
        private let queue = DispatchQueue(label: "executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            // SAFETY: the closure retains the executor while its job runs.
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(complexEquality: self) }

        func isSameExclusiveExecutionContext(other: Executor) -> Bool {
            for executor in [self, other] { executor.hook.withLock { $0 }?() }
            return self === other
        }
    }

    private final class Viewer: Sendable {}

    /// A controller that the tests hand from one actor to the next, which no type allows.
    private struct Controller: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the tests wait for each task that uses the controller.
        let observations: ObservationController<Viewer>
    }

    private actor Room {
        let executor = Executor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private let lamp = Lamp()

        func observe(_ controller: Controller) {
            controller.observations.observe(lamp, \.brightness, options: .new) { _, _, _ in }
        }

        func change() { lamp.brightness += 1 }
    }

    @Test("Rule 36: an observation may be removed after its actor has died with the executor on which it ran")
    func theActorDiesFirst() async {
        let viewer = Viewer()
        let controller = Controller(observations: ObservationController(observer: viewer))
        func observe() async { await Room().observe(controller) }
        for _ in 0..<20 { await observe() }
        #expect(await Task.detached { controller.observations.unobserveAll() }.value == 20)
        withExtendedLifetime(viewer) {}
    }

    @Test("No lock is held while the program compares executors, also when the observer is found deallocated")
    func noLockIsHeld() async throws {
        var viewer: Viewer? = Viewer()
        let controller = try Controller(observations: ObservationController(observer: #require(viewer)))
        let (first, second) = (Room(), Room())
        await first.observe(controller)
        await second.observe(controller)
        viewer = nil
        let dropped = Mutex<[UInt64]>([])
        first.executor.hook.withLock {
            $0 = {
                let count = controller.observations.counters.dropped
                dropped.withLock { $0.append(count) }
            }
        }
        await second.change()
        first.executor.hook.withLock { $0 = nil }
        #expect(dropped.withLock { $0.allSatisfy { $0 == 1 } && !$0.isEmpty })
        await first.change()
        #expect(controller.observations.counters == ObservationCounters(dropped: 2))
    }
}
