import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO
@testable import SafeKVODiagnostics

/// What the log says of calls that wait for an isolation, and of values that are left out.
@Suite struct LeftOutLogTests {
    /// A subject whose computed value another thread can change while it is read.
    final class Meter: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the properties are atomic or guarded by a mutex.
        @AtomicObserved var level = 0
        private let changes = Mutex<[Int]>([])
        var doubled: Int {
            let value = level * 2
            if value > 0, let next = changes.withLock({ $0.popLast() }), next > 0 { OtherThread.run { self.level = next } }
            return value
        }

        /// Sets what the next reads do: change the level to a number, or nothing.
        func change(_ numbers: [Int]) { changes.withLock { $0 = numbers.reversed() } }

        /// Lets the next delivery read the value again, as if another thread had changed it meanwhile.
        func demandReading() {
            keyValueRegistrar.observers.record?.forEachList { list in
                for info in list.infos() { info.mark() }
            }
        }
    }

    final class Lamp: KeyValueObject {
        @Observed var watts = 0
    }

    final class Room: Sendable {}

    @Test("Each change is logged as enqueued once, also if another thread reads its value")
    func eachChangeIsEnqueuedOnce() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog<String>()
            ObservationDiagnostics.logHandler = { log.append("\($0.event)") }
            let (meter, room) = (Meter(), Room())
            let observations = ObservationController(observer: room)
            observations.observe(meter, \.doubled, initial: false, on: .mainActor { _, _ in })
            meter.demandReading()
            // The first read is that of the change, the second one is the repeated one.
            meter.change([0, 2])
            await MainActor.run {
                OtherThread.run { meter.level = 1 }
                let enqueued = log.events.count { $0 == "enqueued" }
                #expect(enqueued == 2, "\(log.events)")
            }
            await until { observations.counters.delivered > 0 }
            #expect(meter.doubled == 4)
        }
    }

    @Test("The line of a value that was overtaken names the newer one")
    func anOvertakenValue() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog<String>()
            let (lamp, room) = (Lamp(), Room())
            let observations = ObservationController(observer: room)
            observations.observe(lamp, \.watts) { [weak lamp] _, watts in if watts == 1 { lamp?.watts = 2 } }
            ObservationDiagnostics.logHandler = { if $0.event == .leftOut { log.append("\($0)") } }
            observations.observe(lamp, \.watts, tag: "second") { _, _ in }
            lamp.watts = 1
            let line = try #require(log.events.first)
            #expect(line.hasPrefix("left out, because the value is a duplicate, or a newer one was delivered before: "))
        }
    }
}
