@testable import SafeKVO
import SafeKVOTesting
import TestSupport
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
        await removeElsewhere(view.observations.core)
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

        private var observations: ObservationController<Observer>?

        func observe(for observer: Observer, _ log: EventLog<String>) -> ControllerCore {
            let (released, observations) = (Released(self, log), ObservationController(observer: observer))
            observations.observe(State(), \.level) { _, _ in _ = released }
            self.observations = observations
            return observations.core
        }
    }

    @Test func `the captures of a registration in an actor are released in the actor`() async {
        let (keeper, observer) = (Keeper(), Observer())
        await removeElsewhere(keeper.observe(for: observer, log))
        await until { log.events.count == 1 }
        #expect(log.events == ["in the actor"])
        withExtendedLifetime(observer) {}
    }

    final class Shared: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    @Test(arguments: [false, true])
    @MainActor func `a closure of the main actor that is given with on is released there`(ofChanges: Bool) async {
        let (shared, observer, witness) = (Shared(), Observer(), Witness("handler", log))
        let observations = SharedObservationController(observer: observer)
        if ofChanges {
            observations.observe(shared, \.level, options: .new, on: .mainActor { [witness] _, _, _ in _ = witness })
        } else {
            observations.observe(shared, \.level, on: .mainActor { [witness] _, _ in _ = witness })
        }
        _ = consume witness
        await removeElsewhere(observations.core)
        await until { log.events.count == 1 }
        #expect(log.events == ["handler main"])
        withExtendedLifetime(observer) {}
    }

    @Test @MainActor func `a closure of the main actor that was not registered is released there`() async {
        let witness = Witness("handler", log)
        let observer = Observer()
        let isRefused = await Task.detached {
            let observations = SharedObservationController(observer: observer)
            observations.invalidate()
            let result = observations.observe(Shared(), \.level, on: .mainActor { [witness] _, _ in _ = witness })
            return result == .refused(.controllerInvalidated)
        }.value
        _ = consume witness
        await until { log.events.count == 1 }
        #expect(isRefused && log.events == ["handler main"])
    }

    /// A source that says where it is told that its observation has ended.
    @MainActor final class Bell: @MainActor ObservationSource {
        let eventRegistrar = EventRegistrar<Int>()
        let log: EventLog<String>
        init(_ log: EventLog<String>) { self.log = log }
        func observationDidEnd(_ info: ObservationInfo) { log.append(Place.isMainActor ? "main" : "elsewhere") }
    }

    @Test @MainActor func `a source of the main actor is told there that its observation has ended`() async {
        let (view, bell) = (View(), Bell(log))
        view.observations.observe(bell) { _, _ in }
        await removeElsewhere(view.observations.core)
        await until { log.events.count == 1 }
        #expect(log.events == ["main"])
    }

    final class Observer: Sendable {}
}

@concurrent private func removeElsewhere(_ core: ControllerCore) async {
    OtherThread.run { _ = core.unobserveAll() }
}
