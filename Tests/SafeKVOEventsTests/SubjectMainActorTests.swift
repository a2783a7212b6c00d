import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// The roles of the observer pattern, taken by classes of the main actor.
@MainActor @Suite struct SubjectMainActorTests {
    final class Lamp: ObservableSubject {
        nonisolated let eventRegistrar = EventRegistrar<Void>()
        var isOn = false { didSet { notify() } }
    }

    final class Switch: @MainActor SubjectObserver {
        var seen: [Bool] = []
        func update(_ lamp: Lamp) { seen.append(lamp.isOn) }
    }

    @Test("Subject and observer of the main actor")
    func rolesOnTheMainActor() {
        let (lamp, observer) = (Lamp(), Switch())
        lamp.attach(observer)
        lamp.isOn = true
        lamp.isOn = false
        #expect(observer.seen == [true, false])
    }

    @Test("Rules 40, 40b: an observer is attached on an actor to a subject on which any thread may notify, and called there only")
    func attachingToASharedSubject() throws {
        let log = EventLog<String>()
        let (siren, listener) = (SubjectTests.Siren(), SubjectTests.Listener(log))
        #expect(siren.attach(listener) == .added)
        siren.notify()
        OtherThread.run { siren.notify() }
        try log.expect(["siren"])
        withExtendedLifetime(listener) {}
    }
}
