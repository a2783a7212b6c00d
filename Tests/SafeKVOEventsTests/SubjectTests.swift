import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// The roles of the observer pattern, taken by any class.
@Suite struct SubjectTests {
    class Thermometer: ObservableSubject {
        let eventRegistrar = EventRegistrar<Void>()
        var degrees = 20 { didSet { notify() } }
    }

    final class Barometer: ObservableSubject {
        let eventRegistrar = EventRegistrar<Void>()
    }

    final class Oven: Thermometer {}

    class Display: SubjectObserver {
        let name: String
        let log: EventLog<String>

        init(_ name: String, _ log: EventLog<String>) {
            self.name = name
            self.log = log
        }

        func update(_ subject: Thermometer) { log.append("\(name) \(subject.degrees)") }
    }

    final class Station: SubjectObserver {
        let log: EventLog<String>
        var afterUpdate: (Station, any ObservableSubject) -> Void = { _, _ in }

        init(_ log: EventLog<String>) { self.log = log }

        func update(_ subject: any ObservableSubject) {
            log.append("station \(type(of: subject))")
            afterUpdate(self, subject)
        }
    }

    let log = EventLog<String>()
    let thermometer = Thermometer()

    /// A subject on which any thread may notify.
    final class Siren: ObservableSubject, SharedObservationSource, Sendable {
        let eventRegistrar = EventRegistrar<Void>()
    }

    final class Listener: SubjectObserver, Sendable {
        let log: EventLog<String>
        init(_ log: EventLog<String>) { self.log = log }
        func update(_ siren: Siren) { log.append("siren") }
    }

    @Test("Rule 40b: attaching to a subject on which any thread may notify is refused in no isolation, with a warning")
    func attachingToASharedSubjectIsRefused() throws {
        let (siren, listener, station) = (Siren(), Listener(log), Station(log))
        Warnings.listen()
        let line: UInt = #line + 1
        let results = [siren.attach(listener), siren.attach(station)]
        #expect(results == [.refused(.noIsolation), .refused(.noIsolation)])
        #expect(Warnings.about(line...line) == ["refusedRegistration 0"])
        siren.notify()
        try log.expect([])
        #expect(!siren.detach(listener))
    }

    @Test("Rule 43a: three attached, notify, the middle one detached, notify")
    func theMiddleOneIsDetached() throws {
        let (x, y, z) = (Display("X", log), Display("Y", log), Display("Z", log))
        defer { withExtendedLifetime((x, y, z)) {} }
        for display in [x, y, z] { #expect(thermometer.attach(display) == .added) }
        thermometer.degrees = 21
        try log.expect(["X 21", "Y 21", "Z 21"])
        #expect(thermometer.detach(y))
        thermometer.degrees = 22
        try log.expect(["X 22", "Z 22"])
    }

    @Test("Rule 43a: attaching and detaching twice harm nobody")
    func attachingAndDetachingTwiceIsHarmless() throws {
        let (x, y) = (Display("X", log), Display("Y", log))
        defer { withExtendedLifetime((x, y)) {} }
        #expect(!thermometer.detach(x))
        #expect(thermometer.attach(x) == .added)
        #expect(thermometer.attach(y) == .added)
        #expect(thermometer.attach(x) == .alreadyObserved)
        thermometer.notify()
        try log.expect(["X 20", "Y 20"])
        #expect(thermometer.detach(x))
        #expect(!thermometer.detach(x))
        thermometer.notify()
        try log.expect(["Y 20"])
        #expect(thermometer.attach(x) == .added)
        thermometer.notify()
        try log.expect(["Y 20", "X 20"])
    }

    @Test("Rule 43a: one observer of subjects of several classes, and of a subclass")
    func oneObserverOfSeveralClasses() throws {
        let (station, barometer, oven) = (Station(log), Barometer(), Oven())
        defer { withExtendedLifetime(station) {} }
        thermometer.attach(station)
        barometer.attach(station)
        oven.attach(station)
        thermometer.notify()
        barometer.notify()
        oven.notify()
        try log.expect(["station Thermometer", "station Barometer", "station Oven"])
    }

    @Test("Rule 43a: a subject that is an observer itself")
    func aSubjectMayBeAnObserver() throws {
        final class Relay: ObservableSubject, SubjectObserver {
            let eventRegistrar = EventRegistrar<Void>()
            func update(_ subject: Thermometer) { notify() }
        }
        let (relay, station) = (Relay(), Station(log))
        defer { withExtendedLifetime((relay, station)) {} }
        thermometer.attach(relay)
        relay.attach(station)
        thermometer.degrees = 1
        try log.expect(["station Relay"])
    }

    @Test("Rule 30: neither keeps the other; who is gone is dropped, whichever goes first")
    func neitherKeepsTheOther() throws {
        let tracker = LifetimeTracker()
        func observerFirst() {
            thermometer.attach(tracker.track(Display("X", log)))
        }
        observerFirst()
        try tracker.expectAllGone()
        #expect(thermometer.observerCount == 1)
        thermometer.notify()
        #expect(thermometer.observerCount == 0)

        let display = Display("Y", log)
        func subjectFirst() {
            let oven = tracker.track(Oven())
            (oven as Thermometer).attach(display)
            oven.degrees = 200
        }
        subjectFirst()
        try tracker.expectAllGone()
        try log.expect(["Y 200"])
        withExtendedLifetime(display) {}
    }

    @Test("A new observer at the address of one that is gone is not taken for it")
    func anAddressIsNoIdentity() throws {
        for _ in 0..<100 { thermometer.attach(Display("gone", log)) }
        let kept = Display("kept", log)
        #expect(thermometer.attach(kept) == .added)
        thermometer.notify()
        try log.expect(["kept 20"])
        #expect(thermometer.detach(kept))
    }

    @Test("Attached observers and those with a controller are called in the order in which they came, and do not get in each other's way")
    func attachedOnesAndControllersMix() throws {
        let display = Display("X", log)
        let observations = ObservationController(observer: display)
        observations.observe(thermometer) { display, thermometer, _ in display.log.append("controller \(thermometer.degrees)") }
        #expect(thermometer.attach(display) == .added)
        observations.observe(thermometer, tag: "last") { display, _ in display.log.append("last") }
        thermometer.notify()
        try log.expect(["controller 20", "X 20", "last"])
        #expect(thermometer.detach(display))
        #expect(!thermometer.detach(display))
        thermometer.notify()
        try log.expect(["controller 20", "last"])
        #expect(observations.unobserve(thermometer) == 2)
    }

    @Test("Rule 30: attaching an observer ends the observations of those that were deallocated without being detached")
    func attachingDropsTheDead() throws {
        let kept = Display("kept", log)
        #expect(thermometer.attach(kept) == .added)
        for _ in 0..<20 { #expect(thermometer.attach(Display("dead", log)) == .added) }
        let last = Station(log)
        #expect(thermometer.attach(last) == .added)
        #expect(ObservationDiagnostics.observations(of: thermometer).count == 2)
        #expect(thermometer.attach(kept) == .alreadyObserved)
        thermometer.notify()
        try log.expect(["kept 20", "station Thermometer"])
    }

    @Test("Rule 9: who is detached in an update is not called later in it, who is attached hears the next")
    func detachingInAnUpdateCountsAtOnce() throws {
        let (first, x, y) = (Station(log), Display("X", log), Display("Y", log))
        defer { withExtendedLifetime((first, x, y)) {} }
        first.afterUpdate = { first, subject in
            guard let thermometer = subject as? Thermometer else { return }
            thermometer.detach(x)
            thermometer.attach(y)
            thermometer.detach(first)
        }
        thermometer.attach(first)
        thermometer.attach(x)
        thermometer.notify()
        try log.expect(["station Thermometer"])
        thermometer.notify()
        try log.expect(["Y 20"])
    }

    @Test("Rule 32: a subject that notifies in its deinit tells nobody, and attaching to it then is refused")
    func aDyingSubjectTellsNobody() throws {
        final class Mayfly: ObservableSubject {
            let eventRegistrar = EventRegistrar<Void>()
            let station: Station
            init(_ station: Station) { self.station = station }
            deinit {
                notify()
                station.log.append("\(attach(Station(station.log))) \(detach(station))")
            }
        }
        let station = Station(log)
        func live() {
            let mayfly = Mayfly(station)
            mayfly.attach(station)
            mayfly.notify()
        }
        live()
        try log.expect(["station Mayfly", "refused(SafeKVO.ObservationResult.Refusal.objectDeinitialized) true"])
    }
}
