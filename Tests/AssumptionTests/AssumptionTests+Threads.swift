// A platform without Dispatch, such as single-threaded Wasm, has none of these threads and queues.
#if canImport(Dispatch)
    import CSafeKVO
    import Dispatch
    import Synchronization
    import Testing

    extension AssumptionTests {
        private actor Room {
            var isCurrentExecutor: Bool { isCurrent(self) }
            var isOnMainActor: Bool { safekvo_is_on_main_actor() }

            func isCurrent(_ actor: any Actor) -> Bool { Executors.isCurrent(actor) }
        }

        private actor Office {
            let executor = Executors.Queue()
            nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
            var isCurrentExecutor: Bool { Executors.isCurrent(self) }
        }

        private enum Executors {
            final class Queue: SerialExecutor {
                private let queue = DispatchQueue(label: "office")

                func enqueue(_ job: consuming ExecutorJob) {
                    let job = UnownedJob(job)
                    // SAFETY: the closure retains the executor while its job runs.
                    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
                }

                func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
            }

            /// Returns the two words of an actor's executor, as `HandlerIsolation` does.
            static func words(_ actor: any Actor) -> (identity: UInt, implementation: UInt) {
                // SAFETY: the cast is the assumption. The words are only compared, while the actor is retained.
                unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
            }

            static func isCurrent(_ actor: any Actor) -> Bool {
                let (identity, implementation) = words(actor)
                return withExtendedLifetime(actor) { safekvo_is_current_executor(identity, implementation) }
            }
        }

        /// Runs a closure on another thread, while this one waits.
        private static func onOtherThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
            let result = Mutex<Result?>(nil)
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other").async {
                let value = body()
                result.withLock { $0 = value }
                done.signal()
            }
            done.wait()
            return result.withLock { $0 }
        }

        @Test(
            "An executor is two words, and the runtime tells without a trap if it is the current one",
            .reliedOn(
                by: "CSafeKVO.c (`safekvo_is_current_executor`) and Delivery/Info/InfoParts.swift",
                instead: "`isIsolatingCurrentContext()` of SE-0471, for executors of the program only"))
        func executors() async {
            let (room, other, office) = (Room(), Room(), Office())
            #expect(unsafe MemoryLayout<UnownedSerialExecutor>.size == 2 * MemoryLayout<UInt>.size)
            // An actor without an executor of its own is its own executor, and the second word is zero.
            #expect(Executors.words(room) == (Memory.address(of: room), 0))
            #expect(Executors.words(office).identity == Memory.address(of: office.executor))
            #expect(Executors.words(office).implementation != 0)
            #expect(await room.isCurrentExecutor)
            #expect(await office.isCurrentExecutor)
            #expect(await MainActor.run { Executors.isCurrent(MainActor.shared) })
            for actor in [room, office, MainActor.shared] as [any Actor] {
                #expect(await !other.isCurrent(actor))
                #expect(Self.onOtherThread { Executors.isCurrent(actor) } == false)
                #expect(!Executors.isCurrent(actor))
            }
        }

        @Test(
            "The main actor is recognized in its tasks and on the main queue, and nowhere else",
            .reliedOn(by: "CSafeKVO.c (`safekvo_is_on_main_actor`)", instead: "`Thread.isMainThread`, which costs 183 ns"))
        func mainActor() async {
            #expect(await MainActor.run { safekvo_is_on_main_actor() })
            let isOnMainQueue = await withCheckedContinuation { continuation in
                DispatchQueue.main.async { continuation.resume(returning: safekvo_is_on_main_actor()) }
            }
            #expect(isOnMainQueue)
            #expect(await !Room().isOnMainActor)
            #expect(Self.onOtherThread { safekvo_is_on_main_actor() } == false)
        }

        @Test(
            "A thread-local variable of C belongs to the thread when Swift reads it through an inlined function",
            .reliedOn(by: "CSafeKVO.h, for the recorder, the batch and the delivery of a thread", instead: "functions that are not inlined")
        )
        func threadLocals() {
            let former = safekvo_last_controller()
            defer { safekvo_set_last_controller(former) }
            safekvo_set_last_controller(7)
            #expect(safekvo_last_controller() == 7)
            #expect(Self.onOtherThread { safekvo_last_controller() } != 7)
            #expect(Self.onOtherThread { safekvo_thread() } != safekvo_thread())
        }
    }
#endif
