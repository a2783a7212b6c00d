import SafeKVOEvents
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// Rule 33: who lets go of what an observation has kept.
@Suite struct HoldTests {
    /// An object that several threads may own, and whose keys never change.
    final class Job: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let number: Int
        init(_ number: Int) { self.number = number }
        var label: String { "\(number)" }
        var fresh: Fresh { Fresh() }
    }
    final class Capture: Sendable {}
    final class Ends: Sendable { let count = Atomic<Int>(0) }
    final class Part {
        static let living = Atomic<Int>(0)
        init() { Self.living.add(1, ordering: .relaxed) }
        deinit { Self.living.subtract(1, ordering: .relaxed) }
    }
    /// A value that keeps an object.
    struct Fresh { let part = Part() }
    final class Screen {
        private(set) lazy var observations = ObservationController(observer: self, retainsObserved: false)
    }

    /// Observes an object, with a handler that captures another one, and lets another thread drop the last reference to the observed object.
    private func endElsewhere(_ screen: Screen, tag: ObservationTag? = nil, ended: Ends? = nil) -> Weak<Capture> {
        Warnings.listen()
        let capture = Capture()
        let job = Mutex<Job?>(Job(1))
        screen.observations.observe(
            job.withLock { $0 }, \.label, tag: tag, handler: { _, _ in _ = capture },
            onTermination: { _ in ended?.count.add(1, ordering: .relaxed) })
        OtherThread.run { job.withLock { $0 = nil } }
        return Weak(capture)
    }

    enum Call: CaseIterable, Sendable {
        case observe, observeAgain, refused, unobserve, unobserveUnknown, unobserveObject, unobserveAll, invalidate, pause, resume

        func make(_ observations: ObservationController<Screen>) {
            let other = Job(2)
            switch self {
            case .observe: observations.observe(other, \.label) { _, _ in }
            case .observeAgain: for _ in 0..<2 { observations.observe(other, \.label) { _, _ in } }
            case .refused: observations.observe(ObservedValue(0), \.value) { _, _ in }
            case .unobserve, .unobserveUnknown: observations.unobserve(other, \.label)
            case .unobserveObject: observations.unobserve(other)
            case .unobserveAll: observations.unobserveAll()
            case .invalidate: observations.invalidate()
            case .pause: observations.pause()
            case .resume: observations.resume()
            }
        }
    }

    @Test("Rules 33, 49: the end elsewhere is told at once, and the handler waits for the controller's next call")
    func aHandlerWaitsForTheNextCall() {
        let (screen, ended) = (Screen(), Ends())
        let capture = endElsewhere(screen, ended: ended)
        #expect(ended.count.load(ordering: .relaxed) == 1)
        #expect(capture.object != nil)
        // Questions let go of nothing.
        #expect(!screen.observations.isPaused && screen.observations.retainsObserved == false && screen.observations.observer === screen)
        #expect(screen.observations.counters.delivered == 1 && screen.observations.observations.isEmpty)
        #expect("\(screen.observations)".contains("keeps the handlers of 1 ended observations"))
        #expect(capture.object != nil)
        #expect(screen.observations.unobserveAll() == 0)
        #expect(capture.object == nil)
        #expect(!"\(screen.observations)".contains("keeps"))
    }

    @Test("Rule 33: each call of the controller lets go of what waits", arguments: Call.allCases)
    func eachCallLetsGo(call: Call) {
        let screen = Screen()
        let capture = endElsewhere(screen)
        #expect(capture.object != nil)
        call.make(screen.observations)
        #expect(capture.object == nil)
    }

    @Test("Rule 33: the end of a controller, of a token and of a sequence lets go of what waits")
    func theEndOfTheOwnerLetsGo() async {
        var screen: Screen? = Screen()
        let capture = screen.map { endElsewhere($0) }
        #expect(capture?.object != nil)
        screen = nil
        #expect(capture?.object == nil)

        func token(_ job: Job) -> (ObservationToken, Weak<Capture>) {
            let capture = Capture()
            return (job.observation(of: \.label) { _, _ in _ = capture }, Weak(capture))
        }
        let job = Mutex<Job?>(Job(1))
        let (token, ofToken) = token(job.withLock { $0 } ?? Job(2))
        OtherThread.run { job.withLock { $0 = nil } }
        #expect(ofToken.object != nil)
        token.cancel()
        #expect(ofToken.object == nil)
    }

    @Test("Rule 33: what has ended elsewhere gives its place in the controller to a new registration")
    func aPlaceIsVacant() {
        let screen = Screen()
        let captures = (0..<3).map { _ in endElsewhere(screen, tag: "tag") }
        // Each registration is a call, which lets go of what the one before has kept.
        #expect(captures.map { $0.object != nil } == [false, false, true])
        #expect(screen.observations.counters.ignoredAdds == 0)
    }

    @Test("Rule 33: a handler that captures the owner of its controller stays with it until the next call")
    func aCycleLastsUntilTheNextCall() {
        weak var weakScreen: Screen?
        func make() -> ObservationController<Screen> {
            let screen = Screen()
            weakScreen = screen
            let job = Mutex<Job?>(Job(1))
            screen.observations.observe(job.withLock { $0 }, \.label) { [screen] _, _ in _ = screen }
            OtherThread.run { job.withLock { $0 = nil } }
            return screen.observations
        }
        let observations = make()
        #expect(weakScreen != nil)
        observations.unobserveAll()
        #expect(weakScreen == nil)
    }

    @Test("Rule 33: the memory of an object that dies elsewhere is freed, also if its handler waits")
    func theRecordIsFreed() {
        let screen = Screen()
        let job = Mutex<Job?>(Job(1))
        screen.observations.observe(job.withLock { $0 }, \.label) { _, _ in }
        let record = Weak(job.withLock { $0?.keyValueRegistrar.observers.record })
        #expect(record.object != nil)
        OtherThread.run { job.withLock { $0 = nil } }
        #expect(record.object == nil)
        withExtendedLifetime(screen) {}
    }

    @Test("Rule 33: on the main actor, what has ended elsewhere is released there, one transfer later")
    @MainActor func theMainActorLetsGo() async {
        @MainActor final class Panel {
            private(set) lazy var observations = ObservationController(observer: self, retainsObserved: false)
        }
        let (panel, released) = (Panel(), Flag())
        let job = Mutex<Job?>(Job(1))
        func register() {
            let capture = OnMain(released)
            panel.observations.observe(job.withLock { $0 }, \.label) { _, _ in _ = capture }
        }
        register()
        OtherThread.run { job.withLock { $0 = nil } }
        #expect(!released.isSet)
        await until { released.isSet }
        withExtendedLifetime(panel) {}
    }

    @Test("Rule 33: an attachment whose actor is gone keeps no memory, wherever it ends")
    func anAttachmentKeepsNothing() async {
        final class Bell: ObservableSubject, SharedObservationSource, Sendable {
            let eventRegistrar = EventRegistrar<Void>()
        }
        final class Listener: SubjectObserver {
            func update(_ subject: Bell) {}
        }
        actor Room {
            private let listener = Listener()
            func listen(to bell: Bell) { bell.attach(listener) }
        }
        func endElsewhere() async -> Weak<ObservationRecord> {
            let bell = Bell()
            await Room().listen(to: bell)
            // Who looks for one attachment ends those of dead observers.
            #expect(!bell.detach(Listener()))
            return Weak(bell.eventRegistrar.observers.record)
        }
        let record = await endElsewhere()
        #expect(record.object == nil)
    }

    @Test("Rule 33: the last value of a computed key goes with the handlers of its observers")
    func theLastValueGoesWithTheHandlers() {
        Warnings.listen()
        let (screen, before) = (Screen(), Part.living.load(ordering: .relaxed))
        let job = Mutex<Job?>(Job(1))
        screen.observations.observe(job.withLock { $0 }, \.fresh, options: [.old, .new]) { _, _, _ in }
        #expect(Part.living.load(ordering: .relaxed) == before + 1)
        OtherThread.run { job.withLock { $0 = nil } }
        #expect(Part.living.load(ordering: .relaxed) == before + 1)
        screen.observations.unobserveAll()
        #expect(Part.living.load(ordering: .relaxed) == before)
    }

    @Test("Rule 33: two controllers that observe a computed key in no isolation evaluate it apart, one controller once")
    func controllersShareNoEvaluation() {
        final class Counted: KeyValueObject {
            @Observed var n = 0
            var reads = 0
            var double: Int {
                reads += 1
                return n * 2
            }
        }
        let (model, first, second) = (Counted(), Screen(), Screen())
        for tag in ["a", "b"] as [ObservationTag] { first.observations.observe(model, \.double, tag: tag) { _, _ in } }
        model.reads = 0
        model.n = 1
        #expect(model.reads == 1)
        second.observations.observe(model, \.double) { _, _ in }
        model.reads = 0
        model.n = 2
        #expect(model.reads == 2)
    }

    @Test("Rule 40: an evaluation in no isolation is not taken over by one that any thread makes")
    func sortsOfHomesStayApart() {
        Warnings.listen()
        final class Cell: KeyValueObservable, Sendable {
            let keyValueRegistrar = KeyValueRegistrar()
            let part = ObservedValue(1)
            var double: Int { part.value * 2 }
        }
        final class Reader: Sendable { let sum = Atomic<Int>(0) }
        let (cell, screen, reader) = (Cell(), Screen(), Reader())
        // It is refused, and leaves an idle evaluation behind.
        screen.observations.observe(cell, \.double) { _, _ in }
        let observations = SharedObservationController(observer: reader)
        observations.observe(cell, \.double, on: .anyThread { reader, double in reader.sum.add(double, ordering: .relaxed) })
        cell.part.value = 10
        #expect(reader.sum.load(ordering: .relaxed) == 22)
    }

    @Test("Controllers that come and go leave no evaluations behind, whose number stays in proportion to those in use")
    func idleEvaluationsAreUsedAgain() {
        final class Lasting: KeyValueObject {
            @Observed var n = 0
            var double: Int { n * 2 }
        }
        let model = Lasting()
        for _ in 0..<1000 {
            let screen = Screen()
            screen.observations.observe(model, \.double) { _, _ in }
        }
        #expect(model.evaluationCount == 1)
        let screens = (0..<100).map { _ in Screen() }
        for screen in screens { screen.observations.observe(model, \.double) { _, _ in } }
        for screen in screens.prefix(50) { screen.observations.unobserveAll() }
        for _ in 0..<1000 { Screen().observations.observe(model, \.double) { _, _ in } }
        #expect(model.evaluationCount < 130)
        var calls = 0
        for _ in 0..<50 {
            let screen = Screen()
            screen.observations.observe(model, \.double, initial: false) { _, _ in calls += 1 }
            model.n += 1
        }
        #expect(calls == 50)
    }
}

extension KeyValueObservable {
    /// The number of evaluations that the object keeps for its computed and nested key paths.
    fileprivate var evaluationCount: Int { keyValueRegistrar.observers.record?.lists(ListKey.paths).count ?? 0 }
}
