import SafeKVO
import SafeKVOEvents
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
}
