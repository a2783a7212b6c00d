import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 33: what a plain form keeps is released in the isolation of the registration, at the latest one hop after the removal.
@Suite struct ReleaseIsolationTests {
    /// Says whether it was deallocated where the main actor's code may run.
    final class Witness: Sendable {
        let log: EventLog<String>
        let name: String

        init(_ name: String, _ log: EventLog<String>) {
            (self.name, self.log) = (name, log)
        }

        deinit { log.append("\(name) \(Place.isMainActor ? "main" : "elsewhere")") }
    }

    @MainActor final class Model: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        let witness: Witness
        @Observed var level = 0
        init(_ witness: Witness) { self.witness = witness }
    }

    @MainActor final class View {
        private(set) lazy var observations = ObservationController(observer: self)
    }

    let log = EventLog<String>()

    @Test @MainActor func `the handler and the object of a main-actor registration are released on the main actor`() async {
        let view = View()
        let captured = Witness("handler", log)
        view.observations.observe(
            Model(Witness("object", log)), \.level, handler: { [captured] _, _ in _ = captured },
            onTermination: { [log] in log.append("\($0)") })
        await removeElsewhere(view.observations)
        #expect(log.events.first == "removed")
        _ = consume captured
        await until { log.events.count == 3 }
        #expect(Set(log.events) == ["removed", "handler main", "object main"])
    }

    @Test @MainActor func `what is removed on the main actor is released at once`() {
        let view = View()
        view.observations.observe(Model(Witness("object", log)), \.level) { _, _ in }
        view.observations.unobserveAll()
        #expect(log.events == ["object main"])
    }

    @Test @MainActor func `an observer whose last reference goes elsewhere releases its objects on the main actor`() async {
        var view: View? = View()
        view?.observations.observe(Model(Witness("object", log)), \.level) { _, _ in }
        let holder = Holder(view)
        view = nil
        await Task.detached { holder.release() }.value
        await until { log.events.count == 1 }
        #expect(log.events == ["object main"])
    }

    final class Holder: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) used by one task after the other.
        private var object: AnyObject?
        init(_ object: AnyObject?) { self.object = object }
        func release() { object = nil }
    }

    actor Keeper {
        final class State: KeyValueObject { @Observed var level = 0 }

        /// Says whether it was deallocated in the actor.
        final class Released {
            let log: EventLog<String>
            let keeper: Keeper
            init(_ keeper: Keeper, _ log: EventLog<String>) { (self.keeper, self.log) = (keeper, log) }
            deinit { log.append(Place.isCurrent(keeper) ? "in the actor" : "elsewhere") }
        }

        func observe(for observations: ObservationController<Observer>, _ log: EventLog<String>) {
            let released = Released(self, log)
            observations.observe(State(), \.level) { _, _ in _ = released }
        }
    }

    @Test func `the captures of a registration in an actor are released in the actor`() async {
        let (keeper, observer) = (Keeper(), Observer())
        let observations = ObservationController(observer: observer)
        await keeper.observe(for: observations, log)
        await removeElsewhere(observations)
        await until { log.events.count == 1 }
        #expect(log.events == ["in the actor"])
        withExtendedLifetime(observer) {}
    }

    // MARK: M1

    class Subject: KeyValueObject { @Observed var level = 0 }
    final class SharedSubject: Subject, @unchecked Sendable {}
    final class Observer: Sendable {}
    final class Plain { lazy var observations = ObservationController(observer: self) }

    @Test func `a registration outside any actor that ends on another thread is reported`() {
        Warnings.listen()
        let observations = ObservationController(observer: Observer())
        let observer = Observer()
        let kept = ObservationController(observer: observer)
        let line: UInt = #line + 1
        kept.observe(Subject(), \.level) { _, _ in }
        kept.observe(SharedSubject(), \.level, tag: "any", on: .anyThread { _, _ in })
        OtherThread.run { kept.unobserveAll() }
        #expect(Warnings.about(line...line + 1) == ["unprotectedRelease 0"])
        withExtendedLifetime(observations) {}
    }

    @Test func `a registration that ends on its own thread is not reported`() {
        Warnings.listen()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        let line: UInt = #line + 1
        observations.observe(Subject(), \.level) { _, _ in }
        observations.unobserveAll()
        #expect(Warnings.about(line...line) == [])
    }

    @Test func `the controller of an observer that is not Sendable may be handed to another thread`() {
        Warnings.listen()
        let plain = Plain()
        let line: UInt = #line + 1
        plain.observations.observe(Subject(), \.level) { _, _ in }
        let holder = Holder(plain)
        OtherThread.run { holder.release() }
        #expect(Warnings.about(line...line) == [])
    }
}

@concurrent private func removeElsewhere<Observer: AnyObject & Sendable>(_ observations: ObservationController<Observer>) async {
    OtherThread.run { observations.unobserveAll() }
}
