import SafeKVOTesting
import TestSupport
import Testing

@testable import SafeKVO
@testable import SafeKVOEvents

/// Rule 33: an observation that has ended keeps no object of the program, whatever delivery is under way and whatever change is kept.
@Suite struct EndedObservationTests {
    final class Model: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) each test uses its models on one thread.
        @Observed var isRunning = false
        @Observed var count = 0
        @Observed var child: Model?
        var double: Int { count * 2 }
    }

    final class Screen: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) likewise.
        private(set) lazy var observations = ObservationController(observer: self)
        private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
        var core: Weak<ControllerCore> { Weak(observations.core) }
    }

    actor Worker {}

    final class Capture: Sendable {}

    /// What a screen observes before it is deallocated.
    enum Case: CaseIterable {
        case property, change, tagged, removingDuplicates, computedKey, nestedPath, actor, message, messageOfObject, everyMessage
    }

    /// Observes for screens that are deallocated at once.
    ///
    /// - Returns: The controllers' cores, which keep the memory of the dead screens.
    private func churn(_ observed: Case, _ model: Model, _ center: MessageCenter, _ tracker: LifetimeTracker) -> [Weak<ControllerCore>] {
        (0..<20).map { _ in
            let screen = tracker.track(Screen())
            let capture = tracker.track(Capture())
            let observations = screen.observations
            switch observed {
            case .property:
                observations.observe(model, \.count) { [capture] _, _ in _ = capture }
            case .change:
                observations.observe(model, \.count, options: [.old, .new]) { [capture] _, _, _ in _ = capture }
            case .tagged:
                observations.observe(model, \.count, tag: "tag") { [capture] _, _ in
                    _ = capture
                } onTermination: { [capture] _ in
                    _ = capture
                }
            case .removingDuplicates:
                observations.observe(model, \.count, removing: .duplicates) { [capture] _, _ in _ = capture }
            case .computedKey:
                observations.observe(model, \.double) { [capture] _, _ in _ = capture }
            case .nestedPath:
                observations.observe(model, \.child?.count) { [capture] _, _ in _ = capture }
            case .actor:
                let worker = tracker.track(Worker())
                observations.observe(model, \.count, options: .new, on: .actor(worker) { _, _, _, _ in _ = capture })
            case .message:
                observations.observe(center, for: "name") { [capture] _, _ in _ = capture }
            case .messageOfObject:
                observations.observe(center, for: "name", object: model) { [capture] _, _ in _ = capture }
            case .everyMessage:
                observations.observe(center, for: nil) { [capture] _, _ in _ = capture }
            }
            return screen.core
        }
    }

    @Test("Rule 33: what ended observations kept is released while a handler of the same object runs", arguments: Case.allCases)
    @MainActor func whatEndedIsReleasedDuringADelivery(observed: Case) throws {
        let (model, center, starter, tracker) = (Model(), MessageCenter(), Screen(), LifetimeTracker())
        model.child = Model()
        var survivors = ["not looked at"]
        var cores: [Weak<ControllerCore>] = []
        func run() {
            cores = churn(observed, model, center, tracker)
            survivors = tracker.survivors
        }
        starter.observations.observe(model, \.isRunning) { _, isRunning in if isRunning { run() } }
        starter.observations.observe(center, for: "launched") { _, _ in run() }
        model.isRunning = true
        #expect(survivors == [])
        survivors = ["not looked at"]
        center.post("launched")
        #expect(survivors == [])
        // The delivery kept their memory.
        #expect(cores.allSatisfy { $0.object == nil })
    }

    @Test("Rule 33: what an ended observation kept is released when its running handler has returned, not when the delivery has passed")
    func aRunningHandlerKeepsItsOwnObservationOnly() {
        let (model, last) = (Model(), Screen())
        var first: Screen? = Screen()
        var isAlive = (during: false, afterwards: true)
        weak var weakCapture: Capture?
        func register() {
            let capture = Capture()
            weakCapture = capture
            first?.observations.observe(model, \.count, options: .new) { [capture] _, _, _ in
                first = nil
                isAlive.during = weakCapture != nil
                _ = capture
            }
        }
        register()
        last.observations.observe(model, \.count, options: .new) { _, _, _ in isAlive.afterwards = weakCapture != nil }
        model.count = 1
        #expect(isAlive == (true, false))
    }

    @Test("Rule 33: a kept change keeps neither controller, observer, observed object nor record")
    func aKeptChangeKeepsNothing() throws {
        let tracker = LifetimeTracker()
        var kept: [KeyValueChange<Int>] = []
        var core: Weak<ControllerCore>?
        do {
            let (model, screen) = (tracker.track(Model()), tracker.track(Screen()))
            core = screen.core
            screen.observations.observe(model, \.count, options: [.initial, .new], tag: "tag") { _, _, change in kept.append(change) }
            screen.notRetaining.observe(model, \.count, options: [.initial, .new]) { _, _, change in kept.append(change) }
            if let record = model.keyValueRegistrar.observers.record { tracker.track(record) }
            model.count = 1
        }
        try tracker.expectAllGone()
        #expect(core?.object == nil)
        #expect(kept.map(\.newValue) == [0, 0, 1, 1])
    }

    @Test("Diagnostics of an observation that has ended look at nothing that it kept")
    func anEndedObservationHasADescription() {
        final class Bell: ObservationSource {
            typealias Event = Int
            let eventRegistrar = EventRegistrar<Int>()
            var ended: [ObservationInfo] = []
            func observationDidEnd(_ info: ObservationInfo) { ended.append(info) }
        }
        let bell = Bell()
        do {
            let screen = Screen()
            screen.observations.observe(bell, tag: "a") { _, _ in }
            screen.observations.observe(bell, tag: "b") { _, _ in }
            screen.observations.unobserve(bell, for: nil, tag: "a")
            #expect(bell.ended.count == 1)
        }
        #expect(bell.ended.map { "\($0.debugDescription)" } == ["ObservationInfo: ended", "ObservationInfo: ended"])
        #expect(bell.ended.map { $0.end(for: .removed) } == [false, false])
    }
}
