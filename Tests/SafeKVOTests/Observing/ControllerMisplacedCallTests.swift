import Dispatch
import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 40: a handler of the main actor, and a subject that is changed elsewhere all the same.
@MainActor @Suite struct ControllerMisplacedCallTests {
    final class Reader {}

    @Test("A main-actor handler runs on the main actor, is not run away from it, and that is counted")
    func aMainActorHandlerIsNotRunElsewhere() {
        struct Smuggled: @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the main thread waits while the other one uses it.
            let thermostat: Thermostat
        }
        let (thermostat, reader, log) = (Thermostat(), Reader(), EventLog<Int>())
        let observations = ObservationController(observer: reader)
        #expect(observations.observe(thermostat, \.degrees) { _, degrees in log.append(degrees) } == .added)
        thermostat.degrees = 1
        let (smuggled, done) = (Smuggled(thermostat: thermostat), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            smuggled.thermostat.degrees = 2
            done.signal()
        }
        done.wait()
        thermostat.degrees = 3
        // On Linux the main actor leaves the main thread as soon as an asynchronous program suspends.
        #expect(log.events == [0, 1, 3])
        #expect(observations.counters == ObservationCounters(delivered: 3, wrongIsolation: 1))
    }
}
