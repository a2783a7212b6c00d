import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// Sources on which any thread may notify.
@Suite struct SharedSourceTests {
    final class Observer: Sendable {
        let log = EventLog<String>()
        func hear() { log.append("heard") }
        func hearNumber(_ number: Int) { log.append("heard \(number)") }
        func hearName(_ message: NamedMessage) { log.append("heard \(message.name)") }
        func hearSaved(_ message: Saved) { log.append("heard saved") }
    }

    struct Saved: Message {}

    let observer = Observer()

    /// Observes as generic code does, which does not know that the source is shared.
    private func observe<Source: ObservationSource>(
        _ source: Source, by observations: ObservationController<Observer>, isolation: isolated (any Actor)? = #isolation
    ) -> ObservationResult {
        observations.observe(source, isolation: isolation) { observer, _ in observer.hear() }
    }

    @Test("Rule 40b: generic code in no isolation is refused for a source on which any thread may notify")
    func whatTheCompilerCannotTellIsRefused() {
        let (signal, center, observations) = (Signal<Int>(), MessageCenter(), ObservationController(observer: observer))
        Warnings.listen()
        let results = [observe(signal, by: observations), observe(center, by: observations)]
        #expect(results == [.refused(.noIsolation), .refused(.noIsolation)])
        signal.send(1)
        center.post("saved")
        #expect(observer.log.events == [])
    }

    @Test("Rule 40b: a method in no isolation is refused, because Swift does not say on which actor it may run")
    func methodsAreRefused() {
        let (signal, center, observations) = (Signal<Int>(), MessageCenter(), ObservationController(observer: observer))
        Warnings.listen()
        let line: UInt = #line + 2
        let results = [
            observations.observe(signal, action: Observer.hearNumber),
            observations.observe(signal, tag: "nothing", action: Observer.hear),
            observations.observe(center, for: "saved", action: Observer.hearName),
            observations.observe(center, for: Saved.self, action: Observer.hearSaved),
        ]
        #expect(results == Array(repeating: .refused(.noIsolation), count: 4))
        #expect(Warnings.about(line...line + 3) == (0..<4).map { "refusedRegistration \($0)" })
    }

    @Test("Rules 40, 40b: a handler that is isolated to another actor than its caller is refused, and the message says what to do")
    func aHandlerOfAnotherActorIsRefused() throws {
        let (signal, center, observations) = (Signal<Int>(), MessageCenter(), ObservationController(observer: observer))
        Warnings.listen()
        let line: UInt = #line + 2
        let results = [
            observations.observe(signal) { @MainActor observer, _ in observer.hear() },
            observations.observe(signal, tag: "source") { @MainActor observer, _, _ in observer.hear() },
            observations.observe(center, for: "saved") { @MainActor observer, _ in observer.hear() },
            observations.observe(center, for: Saved.self) { @MainActor observer, _ in observer.hear() },
        ]
        let tokens = [
            signal.observation { @MainActor [observer] _ in observer.hear() },
            center.observation(for: Saved.self) { @MainActor [observer] _ in observer.hear() },
        ]
        #expect(results == Array(repeating: .refused(.handlerOfAnotherIsolation), count: 4))
        #expect(Warnings.about(line...line + 8) == ([0, 1, 2, 3, 6, 7]).map { "refusedRegistration \($0)" })
        #expect(Warnings.messages(line...line + 8).allSatisfy { $0.contains("in a method of the actor") && $0.contains("`on:`") })
        signal.send(1)
        #expect(observer.log.events == [])
        withExtendedLifetime(tokens) {}
    }

    @Test("Rule 40: where its handler is isolated, it is accepted, and so is one without an isolation on an actor")
    @MainActor func aHandlerOfTheCallersActorIsAccepted() throws {
        let (signal, center, observations) = (Signal<Int>(), MessageCenter(), ObservationController(observer: observer))
        let results = [
            observations.observe(signal) { @MainActor observer, number in observer.hearNumber(number) },
            observations.observe(signal, tag: "no isolation", handler: Self.hearTen),
            observations.observe(center, for: Saved.self) { observer, saved in observer.hearSaved(saved) },
        ]
        #expect(results == [.added, .added, .added])
        signal.send(1)
        center.post(Saved())
        try observer.log.expect(["heard 1", "heard 10", "heard saved"])
        OtherThread.run { signal.send(2) }
        try observer.log.expect(["heard 20"])
    }

    private static func hearTen(_ observer: Observer, _ number: Int) { observer.hearNumber(10 * number) }

    @Test("Rule 40b: on an actor generic code and a method are accepted")
    @MainActor func onAnActorTheyAreAccepted() throws {
        let (signal, observations) = (Signal<Int>(), ObservationController(observer: observer))
        #expect(observations.observe(signal, action: Observer.hearNumber) == .added)
        #expect(observe(signal, by: observations) == .alreadyObserved)
        signal.send(1)
        try observer.log.expect(["heard 1"])
    }
}
