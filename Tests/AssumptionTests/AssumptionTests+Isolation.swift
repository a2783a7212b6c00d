import CSafeKVO
import Dispatch
import Synchronization
import Testing

extension AssumptionTests {
    private final class Viewer: Sendable {}

    /// A value that does not fit in registers.
    private struct Frame: Equatable, Sendable {
        var (first, second, third, fourth) = ("a", 1, 2.5, [1])
    }

    private actor Room {
        var heard: [String] = []
        let viewer = Viewer()

        func hear(_ text: String) { heard.append(text) }

        /// Casts closures with an `isolated` parameter, and calls them here.
        func callPlainClosures() {
            Closures.plain(observer: { (room: isolated Room, frame: Frame) in room.hear("\(frame == Frame())") })(self, Frame())
            Closures.plain(observer: { (room: isolated Room, number: Int) in room.hear("\(number)") })(self, 2)
            let actor = Closures.plain(actor: { (room: isolated Room, viewer: Viewer, frame: Frame) in
                room.hear("\(viewer === room.viewer) \(frame == Frame())")
            })
            actor(self, viewer, Frame())
        }

        func inheritedIsolation() -> (any Actor)? {
            Closures.isolation { self.hear("inherited") }
        }

        /// Casts a closure that inherits this actor, calls it here and releases it.
        func callInheritedClosure() -> (any Actor)? {
            let (closure, isolation) = Closures.inheriting { (other: Viewer, frame: Frame) in
                self.hear("\(other === self.viewer) \(frame == Frame())")
            }
            closure(viewer, Frame())
            return isolation
        }

        var isCurrentExecutor: Bool { isCurrent(self) }
        var isOnMainActor: Bool { safekvo_is_on_main_actor() }

        func isCurrent(_ actor: any Actor) -> Bool { Executors.isCurrent(actor) }
    }

    private actor Office {
        let executor = Executors.Queue()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        var isCurrentExecutor: Bool { Executors.isCurrent(self) }
    }

    /// The casts of `ObservationHandler`, in functions as generic as there.
    private enum Closures {
        typealias Plain<Observer, Value> = (Observer, Value) -> Void

        // SAFETY: (of all casts) they are the assumption: they drop `@Sendable` and the isolation, in which the tests call the closures.

        static func plain<Observer, Value>(main closure: @escaping @MainActor @Sendable (Observer, Value) -> Void) -> Plain<Observer, Value>
        {
            unsafe unsafeBitCast(closure, to: Plain<Observer, Value>.self)
        }

        static func plain<Observer, Value>(
            any closure: @escaping @isolated(any) @Sendable (Observer, Value) -> Void
        ) -> Plain<Observer, Value> {
            unsafe unsafeBitCast(closure, to: Plain<Observer, Value>.self)
        }

        static func plain<Observer: Actor, Value>(
            observer closure: @escaping @Sendable (isolated Observer, Value) -> Void
        ) -> Plain<Observer, Value> {
            unsafe unsafeBitCast(closure, to: Plain<Observer, Value>.self)
        }

        static func plain<Isolation: Actor, Observer, Value>(
            actor closure: @escaping @Sendable (isolated Isolation, Observer, Value) -> Void
        ) -> (Isolation, Observer, Value) -> Void {
            unsafe unsafeBitCast(closure, to: ((Isolation, Observer, Value) -> Void).self)
        }

        static func inheriting<Observer, Value>(
            @_inheritActorContext _ closure: @escaping @Sendable @isolated(any) (Observer, Value) -> Void
        ) -> (plain: Plain<Observer, Value>, isolation: (any Actor)?) {
            (unsafe unsafeBitCast(closure, to: Plain<Observer, Value>.self), closure.isolation)
        }

        static func isolation(@_inheritActorContext of closure: @escaping @Sendable @isolated(any) () -> Void) -> (any Actor)? {
            closure.isolation
        }
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
        "A closure that is isolated to the main actor can be called as a plain one",
        .reliedOn(
            by: "Observing/ObservationHandler.swift", instead: "`MainActor.assumeIsolated` in another closure, which costs 54 ns a call"))
    @MainActor
    func mainActorClosures() {
        let (room, viewer) = (Room(), Viewer())
        var heard: [String] = []
        Closures.plain(main: { (other: Viewer, frame: Frame) in heard.append("\(other === viewer) \(frame == Frame())") })(viewer, Frame())
        Closures.plain(main: { (other: Room, number: Int) in heard.append("\(other === room) \(number)") })(room, 1)
        Closures.plain(any: { @MainActor (other: Viewer, frame: Frame) in heard.append("\(other === viewer) \(frame == Frame())") })(
            viewer, Frame())
        Closures.plain(any: { @MainActor (other: Viewer, text: String) in heard.append("\(other === viewer) \(text)") })(viewer, "a")
        #expect(heard == ["true true", "true 1", "true true", "true a"])
    }

    @Test(
        "A closure with an `isolated` parameter can be called as a plain one",
        .reliedOn(
            by: "Observing/ObservationHandler.swift, ObservationController+KeyPath.swift and ObservationController+OnChange.swift",
            instead: "`assumeIsolated` of the actor in another closure"))
    func isolatedClosures() async {
        let room = Room()
        await room.callPlainClosures()
        #expect(await room.heard == ["true", "2", "true true"])
    }

    @Test(
        "`@_inheritActorContext` isolates a closure to the actor in which it is formed",
        .reliedOn(
            by: "Observing/ObservationController+Events.swift, Observing/ObservationToken.swift and SafeKVOEvents/Messages",
            instead: "a closure whose actor the program names"))
    func inheritedIsolation() async {
        let room = Room()
        #expect(await room.inheritedIsolation() === room)
        await MainActor.run {
            var count = 0
            #expect(Closures.isolation { count += 1 } === MainActor.shared)
        }
        #expect(Closures.isolation {} == nil)
    }

    @Test(
        "A closure that tells its actor can be called as a plain one, which releases what the closure captures",
        .reliedOn(
            by: "Observing/ObservationController+Events.swift, Observing/ObservationToken.swift and SafeKVOEvents/Messages",
            instead: "a closure whose actor the program names"))
    func closuresThatTellTheirActor() async {
        let room = Room()
        #expect(await room.callInheritedClosure() === room)
        #expect(await room.heard == ["true true"])
        await MainActor.run {
            var heard: [Int] = []
            let closures = Closures.inheriting { (_: Room, number: Int) in heard.append(number) }
            closures.plain(room, 1)
            #expect(heard == [1])
            #expect(closures.isolation === MainActor.shared)
        }
        weak var captured: Viewer?
        var closure: Closures.Plain<Viewer, Int>?
        do {
            let viewer = Viewer()
            captured = viewer
            let closures = Closures.inheriting { (other: Viewer, number: Int) in #expect(other !== viewer && number == 2) }
            #expect(closures.isolation == nil)
            closure = closures.plain
        }
        #expect(captured != nil)
        closure?(Viewer(), 2)
        closure = nil
        #expect(captured == nil)
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
        .reliedOn(by: "CSafeKVO.h, for the recorder, the batch and the delivery of a thread", instead: "functions that are not inlined"))
    func threadLocals() {
        let former = safekvo_last_controller()
        defer { safekvo_set_last_controller(former) }
        safekvo_set_last_controller(7)
        #expect(safekvo_last_controller() == 7)
        #expect(Self.onOtherThread { safekvo_last_controller() } != 7)
        #expect(Self.onOtherThread { safekvo_thread() } != safekvo_thread())
    }
}
