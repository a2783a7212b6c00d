import Dispatch
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// Rules 41, 45: delivery on a dispatch queue, and on whatever thread it is.
@Suite struct QueueTests: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    final class Gauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }
    final class Reader: Sendable {}

    let gauge = Gauge()
    let reader = Reader()
    let observations: ObservationController<Reader>
    let log = EventLog<Int>()

    init() { observations = ObservationController(observer: reader) }

    @Test("Rule 45: changes are told on the queue that was asked for, in order, also those made on it", arguments: [true, false])
    func changesAreToldOnAQueue(isConcurrent: Bool) throws {
        let queue = DispatchQueue(label: "queue", attributes: isConcurrent ? .concurrent : [])
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 1)
        let done = DispatchSemaphore(value: 0)
        observations.observe(
            gauge, \.level,
            on: .queue(queue) { [log] _, level in
                #expect(DispatchQueue.getSpecific(key: key) == 1)
                log.append(level)
                if level == 200 { done.signal() }
            })
        let gauge = gauge
        for value in 1...100 { gauge.level = value }
        queue.sync { for value in 101...200 { gauge.level = value } }
        done.wait()
        try log.expect(Array(0...200))
    }

    @Test("Rule 41: options are kept, and calls before the change are refused")
    func optionsAreKept() {
        Warnings.listen()
        let queue = DispatchQueue(label: "queue")
        let done = DispatchSemaphore(value: 0)
        observations.observe(
            gauge, \.level, options: [.old],
            on: .queue(queue) { reader, gauge, change in
                #expect(change.oldValue == 0)
                #expect(change.newValue == nil)
                done.signal()
            })
        gauge.level = 5
        done.wait()
        let refused = observations.observe(gauge, \.level, options: [.prior], tag: "prior", on: .queue(queue) { _, _, _ in })
        #expect(refused == .refused(.priorCallElsewhere))
    }

    @Test("Rule 41: a removal returns and nothing that waits is told; the subject is let go of")
    func whatWaitsIsDropped() throws {
        let queue = DispatchQueue(label: "queue")
        let tracker = LifetimeTracker()
        do {
            let gauge = tracker.track(Gauge())
            queue.suspend()
            observations.observe(gauge, \.level, on: .queue(queue) { [log] _, level in log.append(level) })
            for value in 1...10 { gauge.level = value }
            observations.unobserve(gauge)
        }
        // While the queue still stands.
        try tracker.expectAllGone()
        queue.resume()
        queue.sync {}
        try log.expect([])
    }

    @Test("Rule 1: a handler for any thread is called on the thread that makes the change, wherever it was registered")
    @MainActor func anyThread() async throws {
        let observations = observations
        let gauge = gauge
        let log = log
        observations.observe(gauge, \.level, on: .anyThread { _, level in log.append(level) })
        observations.observe(
            gauge, \.level, options: .old, tag: "changes",
            on: .anyThread { _, _, change in
                log.append(-(change.oldValue ?? -1))
            })
        await Task.detached { gauge.level = 5 }.value
        try log.expect([0, 5, 0])
        #expect(observations.counters.wrongIsolation == 0)
    }
}
