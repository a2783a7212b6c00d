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
}
