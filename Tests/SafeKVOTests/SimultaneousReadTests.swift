import Dispatch
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import Synchronization
import Testing

/// Rule 11a where a value is read while another thread changes it: the value may be newer than the change for which it is read.
///
/// The tests hold threads in getters and handlers, so that each interleaving happens every time.
@Suite struct SimultaneousReadTests {
    /// A place in a getter where threads stop, one at each gate, in the order in which they come.
    final class Stop: Sendable {
        private let gates = Mutex<[Gate]>([])

        func hold(at gate: Gate) { gates.withLock { $0.append(gate) } }

        func pass() { gates.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.pass() }
    }

    class Level: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var value = 0
    }

    final class Gauge: Level, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic, and the stops are constant.
        let beforeValue = Stop()
        let beforeDouble = Stop()
        let afterDouble = Stop()
        override var value: Int {
            get {
                beforeValue.pass()
                return super.value
            }
            set { super.value = newValue }
        }
        var double: Int {
            beforeDouble.pass()
            let value = super.value
            afterDouble.pass()
            return value * 2
        }
    }

    final class Viewer: Sendable {
        let log = EventLog<Int>()
    }

    enum Form: CaseIterable { case property, computed, queue, computedOnQueue, sequence }

    private static func register(_ observations: ObservationController<Viewer>, _ gauge: Gauge, _ form: Form) -> ObservationSequence<Int>? {
        switch form {
        case .property: observations.observe(gauge, \.value, on: .anyThread { viewer, value in viewer.log.append(value) })
        case .computed: observations.observe(gauge, \.double, on: .anyThread { viewer, value in viewer.log.append(value) })
        case .queue:
            observations.observe(gauge, \.value, on: .queue(DispatchQueue(label: "viewer")) { viewer, value in viewer.log.append(value) })
        case .computedOnQueue:
            observations.observe(gauge, \.double, on: .queue(DispatchQueue(label: "viewer")) { viewer, value in viewer.log.append(value) })
        case .sequence: return observations.values(of: gauge, \.value)
        }
        return nil
    }

    @Test("Rule 11a: an initial value is not followed by an older value that has waited", arguments: Form.allCases)
    func anInitialValueIsNewer(in form: Form) async {
        let (gauge, viewer, first) = (Gauge(), Viewer(), Viewer())
        let isComputed = form == .computed || form == .computedOnQueue
        let (inHandler, inGetter) = (Gate(), Gate())
        let others = ObservationController(observer: first)
        // This handler holds the second change, so that it reaches the new observer last.
        let hold: @Sendable (Viewer, Int) -> Void = { _, value in if value == (isComputed ? 4 : 2) { inHandler.pass() } }
        let keyPath: KeyPath<Gauge, Int> = isComputed ? \.double : \.value
        others.observe(gauge, keyPath, on: .anyThread(hold))

        let observations = ObservationController(observer: viewer)
        let (registered, written) = (Flag(), Flag())
        let sequence = Mutex<ObservationSequence<Int>?>(nil)
        (isComputed ? gauge.beforeDouble : gauge.beforeValue).hold(at: inGetter)
        Threads.start {
            let values = Self.register(observations, gauge, form)
            sequence.withLock { $0 = values }
            registered.set()
        }
        inGetter.waitUntilHeld()
        gauge.value = 1
        Threads.start {
            gauge.value = 2
            written.set()
        }
        inHandler.waitUntilHeld()
        inGetter.open()
        registered.wait()
        inHandler.open()
        written.wait()
        gauge.value = 3
        let last = isComputed ? 6 : 3
        if let sequence = sequence.withLock({ $0 }) {
            for await value in sequence {
                viewer.log.append(value)
                if value == last { break }
            }
        }
        await until { viewer.log.events.last == last }
        let events = viewer.log.events
        #expect(events == events.sorted() && events.first == (isComputed ? 4 : 2), "\(events)")
        withExtendedLifetime((others, observations)) {}
    }

    @Test("Rule 11a: an evaluation of one thread is not followed by an older one of another thread", arguments: [false, true])
    func anEvaluationIsNewer(onQueue: Bool) async {
        let (gauge, viewer) = (Gauge(), Viewer())
        let observations = ObservationController(observer: viewer)
        _ = Self.register(observations, gauge, onQueue ? .computedOnQueue : .computed)
        await until { viewer.log.events == [0] }

        func write(_ value: Int, heldAt gate: Gate) -> Flag {
            let written = Flag()
            Threads.start {
                gauge.value = value
                written.set()
            }
            gate.waitUntilHeld()
            return written
        }
        let gates = (Gate(), Gate(), Gate())
        gauge.beforeDouble.hold(at: gates.0)
        let first = write(1, heldAt: gates.0)
        gauge.afterDouble.hold(at: gates.1)
        let second = write(2, heldAt: gates.1)
        gauge.beforeDouble.hold(at: gates.2)
        let third = write(3, heldAt: gates.2)
        // The first writer now reads what the third one wrote.
        gates.0.open()
        first.wait()
        gates.1.open()
        second.wait()
        gates.2.open()
        third.wait()
        await until { viewer.log.events.last == 6 }
        let events = viewer.log.events
        #expect(events == events.sorted(), "\(events)")
        withExtendedLifetime(observations) {}
    }
}
