import Dispatch
import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 49: onTermination is called once, after the last call, with the reason, on the thread that ended it.
@Suite struct ControllerOnTerminationTests {
    final class Reader: Sendable {}

    /// May be used from several threads.
    final class Gauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    let log = EventLog<String>()

    private func observe(_ gauge: Gauge, _ observations: ObservationController<Reader>, tag: ObservationTag? = nil) {
        observations.observe(
            gauge, \.level, tag: tag, on: .anyThread { [log] (_, level: Int) in log.append("level \(level)") },
            onTermination: { [log] in log.append("ended: \($0)") })
    }

    /// What an end is about.
    ///
    /// In a class, because the optimizer lets go of local variables when it likes.
    final class Scene {
        var gauge: Gauge? = Gauge()
        var reader: Reader? = Reader()
        var observations: ObservationController<Reader>?

        init() {
            observations = reader.map { ObservationController(observer: $0, retainsObserved: false) }
        }
    }

    @Test("Each end has its reason, and no end is told twice")
    func eachEndHasItsReason() throws {
        let ends: [(reason: ObservationEndReason, end: (Scene) -> Void)] = [
            (.removed, { #expect($0.observations?.unobserve($0.gauge, \.level) == 1) }),
            (.removed, { #expect($0.observations?.unobserveEach($0.gauge, [\.level]) == 1) }),
            (.removed, { #expect($0.observations?.unobserve($0.gauge) == 1) }),
            (.removed, { #expect($0.observations?.unobserveAll() == 1) }),
            (.controllerInvalidated, { #expect($0.observations?.invalidate() == 1) }),
            (.controllerInvalidated, { $0.observations = nil }),
            (.objectDeinitialized, { $0.gauge = nil }),
            (
                .observerDeinitialized,
                {
                    $0.reader = nil
                    $0.gauge?.level = 1
                }
            ),
            (
                .observerDeinitialized,
                {
                    $0.reader = nil
                    $0.observations = nil
                }
            ),
            (
                .replaced,
                { $0.observations?.observe($0.gauge, \.level, options: [], ifAlreadyObserved: .replace, on: .anyThread { _, _, _ in }) }
            ),
        ]
        for (reason, end) in ends {
            let scene = Scene()
            try observe(#require(scene.gauge), #require(scene.observations))
            try log.expect(["level 0"])
            end(scene)
            try log.expect(["ended: \(reason)"])
            scene.gauge?.level = 2
            scene.observations?.unobserveAll()
            scene.observations?.invalidate()
            (scene.gauge, scene.reader, scene.observations) = (nil, nil, nil)
            try log.expect([])
        }
    }

    @Test("An observation that was not added has no end")
    func anObservationThatWasNotAddedHasNoEnd() throws {
        let (gauge, reader) = (Gauge(), Reader())
        let observations = ObservationController(observer: reader)
        observe(gauge, observations)
        observe(gauge, observations)
        observations.unobserveAll()
        observations.invalidate()
        observe(gauge, observations)
        try log.expect(["level 0", "ended: removed"])
    }

    @Test("It is called on the thread that ends the observation")
    func itIsCalledOnTheThreadThatEndsTheObservation() {
        let (gauge, reader) = (Gauge(), Reader())
        let observations = SharedObservationController(observer: reader)
        let threads = EventLog<ObjectIdentifier>()
        observations.observe(
            gauge, \.level, on: .anyThread { _, _ in }, onTermination: { _ in threads.append(ObjectIdentifier(Thread.current)) })
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            observations.unobserve(gauge, \.level)
            done.signal()
        }
        thread.start()
        done.wait()
        #expect(threads.events == [ObjectIdentifier(thread)])
    }

    @Test("It waits for a call that runs on another thread")
    func itWaitsForARunningCall() throws {
        let (gauge, reader) = (Gauge(), Reader())
        let observations = ObservationController(observer: reader)
        let (inside, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        observations.observe(
            gauge, \.level, options: .new,
            on: .anyThread { [log] _, _, _ in
                inside.signal()
                goOn.wait()
                log.append("call ends")
            }, onTermination: { [log] in log.append("ended: \($0)") })
        Thread.detachNewThread {
            gauge.level = 1
            done.signal()
        }
        inside.wait()
        #expect(observations.unobserve(gauge, \.level) == 1)
        log.append("removed")
        goOn.signal()
        done.wait()
        gauge.level = 2
        try log.expect(["removed", "call ends", "ended: removed"])
    }

    @Test("Rules 33, 49: the end is told first, and the handler's captures are released before the removal returns")
    func capturesAreReleased() throws {
        let (gauge, reader, tracker) = (Gauge(), Reader(), LifetimeTracker())
        let observations = ObservationController(observer: reader)
        func observe() {
            let capture = tracker.track(Reader())
            observations.observe(
                gauge, \.level, on: .anyThread { (_, _: Int) in _ = capture },
                onTermination: { [log] _ in log.append("survivors \(tracker.survivors.count)") })
        }
        observe()
        #expect(tracker.survivors.count == 1)
        observations.unobserveAll()
        try log.expect(["survivors 1"])
        #expect(tracker.survivors == [])
    }

    @Test("Its own captures are released when it has been called")
    func itsOwnCapturesAreReleased() throws {
        let (gauge, reader, tracker) = (Gauge(), Reader(), LifetimeTracker())
        let observations = ObservationController(observer: reader)
        func observe() {
            let capture = tracker.track(Reader())
            observations.observe(gauge, \.level, on: .anyThread { (_, _: Int) in }, onTermination: { _ in _ = capture })
        }
        observe()
        #expect(tracker.survivors.count == 1)
        observations.unobserveAll()
        try tracker.expectAllGone()
    }
}
