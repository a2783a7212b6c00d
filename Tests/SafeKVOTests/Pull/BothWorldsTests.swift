import Foundation
import Observation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// One object that a controller, `withObservationTracking` and `Observations` follow at once.
@Suite @MainActor struct BothWorldsTests {
    @MainActor final class Clock: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
        var isNight: Bool { hour < 6 }
    }
    /// An object of Swift's own that reads one of both.
    @Observable @MainActor final class Watch {
        @ObservationIgnored let clock: Clock
        var offset = 0
        var hour: Int { clock.hour + offset }
        init(_ clock: Clock) { self.clock = clock }
    }
    final class Viewer {
        private(set) lazy var observations = ObservationController(observer: self)
    }

    let clock = Clock()
    let viewer = Viewer()
    let log = EventLog<String>()

    /// Follows a computed value with Swift's tracking, which is begun anew before each change.
    private func follow(_ clock: Clock) {
        withObservationTracking {
            _ = clock.isNight
        } onChange: { [self] in
            MainActor.assumeIsolated {
                log.append("will change from \(clock.hour)")
                follow(clock)
            }
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("Each of the three hears every change once, in the order: Swift's tracking, the observers, Observations")
    func eachHearsEveryChangeOnce() async throws {
        viewer.observations.observe(clock, \.hour) { [log] _, hour in log.append("hour \(hour)") }
        viewer.observations.observe(clock, \.isNight, removing: .duplicates) { [log] _, isNight in log.append("night \(isNight)") }
        follow(clock)
        for await hour in Observations({ [clock] in clock.hour }) {
            log.append("sequence \(hour)")
            if hour == 7 { break }
            clock.hour = hour == 0 ? 1 : 7
        }
        let before = ["hour 0", "night true", "sequence 0"]
        let first = ["will change from 0", "hour 1", "sequence 1"]
        try log.expect(before + first + ["will change from 1", "hour 7", "night false", "sequence 7"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("Observations of a computed property hears what its getter reads")
    func observationsOfAComputedProperty() async {
        var heard: [Bool] = []
        for await isNight in Observations({ [clock] in clock.isNight }) {
            heard.append(isNight)
            if heard.count == 3 { break }
            clock.hour = isNight ? 12 : 1
        }
        #expect(heard == [true, false, true])
    }

    @Test("Both directions end: a controller follows an @Observable object that reads the clock, and its handler sets the clock")
    func bothDirectionsEnd() async throws {
        let watch = Watch(clock)
        // From SafeKVO to Swift: the watch is followed by tracking, which the clock's property takes part in.
        viewer.observations.observe(watch, \.hour) { [log, clock] _, hour in
            log.append("watch \(hour)")
            if hour > 5 { clock.hour = 5 }
        }
        // From Swift to SafeKVO: what the clock announces sets the watch.
        viewer.observations.observe(clock, \.hour) { [log] _, hour in
            log.append("clock \(hour)")
            watch.offset = 0
        }
        clock.hour = 9
        await until { log.events.last == "watch 5" }
        try log.expect(["watch 0", "clock 0", "clock 9", "watch 9", "clock 5", "watch 5"])
        clock.hour = 3
        await until { log.events.last == "watch 3" }
        try log.expect(["clock 3", "watch 3"])
    }

    @Test("An object of both kinds is observed as one that announces its changes; as Swift's own it hears the same, after that")
    func theFormThatAnnouncesIsChosen() async throws {
        func observe<Model: Observable & AnyObject>(_ model: Model, _ keyPath: KeyPath<Model, Int>) {
            viewer.observations.observe(model, keyPath, tag: "tracked") { [log] _, hour in log.append("tracked \(hour)") }
        }
        viewer.observations.observe(clock, \.hour) { [log] _, hour in log.append("hour \(hour)") }
        observe(clock, \.hour)
        clock.hour = 1
        #expect(log.events == ["hour 0", "tracked 0", "hour 1"] + (isReportedAfter ? ["tracked 1"] : []))
        await until { log.events.count == 4 }
        clock.hour = 2
        await until { log.events.count == 6 }
        try log.expect(["hour 0", "tracked 0", "hour 1", "tracked 1", "hour 2", "tracked 2"])
    }

    @Test("A key path that is observed inside somebody's tracking is evaluated there, and so registers what it reads")
    func anEvaluationRegistersInATracking() {
        withObservationTracking {
            _ = viewer.observations.observe(clock, \.isNight, options: []) { _, _, _ in }
        } onChange: { [log] in
            log.append("changes")
        }
        clock.hour = 1
        #expect(log.events == ["changes"])
    }

    // MARK: Lifetimes and threads

    final class Restless: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
        let log: EventLog<Int>

        init(_ log: EventLog<Int>) { self.log = log }

        deinit {
            withObservationTracking {
                log.append(hour)
            } onChange: {
            }
            hour = 1
            hour += 1
            log.append(hour)
        }
    }

    @Test("Tracking keeps no object, and an object may be read and changed in its deinit", arguments: [false, true])
    func trackingKeepsNoObject(isRead: Bool) throws {
        let (tracker, hours) = (LifetimeTracker(), EventLog<Int>())
        do {
            let restless = tracker.track(Restless(hours))
            if isRead {
                withObservationTracking {
                    _ = restless.hour
                } onChange: {
                }
            }
        }
        try tracker.expectAllGone()
        try hours.expect([0, 2])
    }

    final class Shared: KeyValueObservable, Observable, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) its only property is atomic.
        let keyValueRegistrar = KeyValueRegistrar()
        @AtomicObserved var count = 0
    }

    @Test("Threads that read an object first at the same time are all told of its change")
    func threadsThatReadFirstAreAllTold() {
        for _ in 0..<200 {
            let (shared, log) = (Shared(), EventLog<Bool>())
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                withObservationTracking {
                    _ = shared.count
                } onChange: {
                    log.append(true)
                }
            }
            shared.count = 1
            #expect(log.events.count == 4)
        }
    }
}
