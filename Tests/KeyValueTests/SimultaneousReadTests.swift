import Dispatch
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import Synchronization
import TestSupport
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

    class Gauge: Level, @unchecked Sendable {
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

    private static func register(_ observations: SharedObservationController<Viewer>, _ gauge: Gauge, _ form: Form)
        -> SharedObservationSequence<Int>?
    {
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
        let others = SharedObservationController(observer: first)
        // This handler holds the second change, so that it reaches the new observer last.
        let hold: @Sendable (Viewer, Int) -> Void = { _, value in if value == (isComputed ? 4 : 2) { inHandler.pass() } }
        let keyPath: KeyPath<Gauge, Int> = isComputed ? \.double : \.value
        others.observe(gauge, keyPath, on: .anyThread(hold))

        let observations = SharedObservationController(observer: viewer)
        let (registered, written) = (Flag(), Flag())
        let sequence = Mutex<SharedObservationSequence<Int>?>(nil)
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

    @Test(
        "Rules 1, 37: while one thread evaluates, other setters return at once, and the last value is delivered", arguments: [false, true])
    func othersLeaveAMark(onQueue: Bool) async {
        let (gauge, viewer) = (Gauge(), Viewer())
        let observations = SharedObservationController(observer: viewer)
        _ = Self.register(observations, gauge, onQueue ? .computedOnQueue : .computed)
        await until { viewer.log.events == [0] }
        let (gate, written) = (Gate(), Flag())
        gauge.afterDouble.hold(at: gate)
        Threads.start {
            gauge.value = 1
            written.set()
        }
        gate.waitUntilHeld()
        gauge.value = 2
        gauge.value = 3
        gate.open()
        written.wait()
        await until { viewer.log.events.last == 6 }
        #expect(viewer.log.events == [0, 2, 6])
        withExtendedLifetime(observations) {}
    }

    @Test("Rule 37: a change during a registration with an initial call keeps its own values", arguments: [false, true])
    func aChangeKeepsItsValues(isComputed: Bool) throws {
        let (gauge, viewer, first, inGetter, registered) = (Gauge(), Viewer(), Viewer(), Gate(), Flag())
        let keyPath: any KeyPath<Gauge, Int> & Sendable = isComputed ? \.double : \.value
        let others = SharedObservationController(observer: first)
        others.observe(gauge, keyPath, on: .anyThread { _, _ in })
        let observations = SharedObservationController(observer: viewer)
        let log = EventLog<String>()
        (isComputed ? gauge.beforeDouble : gauge.beforeValue).hold(at: inGetter)
        Threads.start {
            observations.observe(
                gauge, keyPath, options: [.initial, .old, .new], on: .anyThread { _, _, change in log.append(change.told) })
            registered.set()
        }
        inGetter.waitUntilHeld()
        gauge.value = 1
        inGetter.open()
        registered.wait()
        gauge.value = 2
        try log.expect(
            isComputed
                ? ["initial new 2", "after old 2 new 4"] : ["initial new 1", "after old 0 new 1", "after old 1 new 2"])
        withExtendedLifetime((others, observations)) {}
    }

    final class Panel: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var level = Level()
    }

    @Test("Rule 11a: a change of an object that another thread is replacing on a path does not come last")
    func aReplacedObjectDoesNotComeLast() {
        let (panel, old, new, viewer, inGetter, replaced) = (Panel(), Level(), Gauge(), Viewer(), Gate(), Flag())
        panel.level = old
        new.value = 100
        let observations = SharedObservationController(observer: viewer)
        observations.observe(panel, \.level.value, on: .anyThread { viewer, value in viewer.log.append(value) })
        new.beforeValue.hold(at: inGetter)
        Threads.start {
            panel.level = new
            replaced.set()
        }
        inGetter.waitUntilHeld()
        old.value = 5
        inGetter.open()
        replaced.wait()
        #expect(viewer.log.events.last == 100, "\(viewer.log.events)")
        withExtendedLifetime(observations) {}
    }

    @Test("Rule 11a: an older value that arrives during a pause is not handed over after it")
    func anOlderValueDuringAPause() {
        let (gauge, viewer, first) = (Gauge(), Viewer(), Viewer())
        let (inGetter, inFirst, inSecond) = (Gate(), Gate(), Gate())
        let (registered, firstWritten, secondWritten) = (Flag(), Flag(), Flag())
        let queue = DispatchQueue(label: "viewer")
        let others = SharedObservationController(observer: first)
        // These handlers hold both changes, so that they reach the new observer after its initial call.
        others.observe(gauge, \.value, on: .anyThread { _, value in if value == 1 { inFirst.pass() } })
        others.observe(
            gauge, \.value, options: .new, tag: "changes",
            on: .anyThread { _, _, change in if change.newValue == 2 { inSecond.pass() } })
        let observations = SharedObservationController(observer: viewer)
        gauge.beforeValue.hold(at: inGetter)
        Threads.start {
            observations.observe(gauge, \.value, on: .queue(queue) { viewer, value in viewer.log.append(value) })
            registered.set()
        }
        inGetter.waitUntilHeld()
        Threads.start {
            gauge.value = 1
            firstWritten.set()
        }
        inFirst.waitUntilHeld()
        Threads.start {
            gauge.value = 2
            secondWritten.set()
        }
        inSecond.waitUntilHeld()
        inGetter.open()
        registered.wait()
        queue.sync {}
        observations.pause()
        inFirst.open()
        firstWritten.wait()
        observations.resume()
        inSecond.open()
        secondWritten.wait()
        queue.sync {}
        let events = viewer.log.events
        #expect(events.allSatisfy { $0 == 2 } && !events.isEmpty, "\(events)")
        withExtendedLifetime((others, observations)) {}
    }

    @Test("Rule 39: a getter that ends the observation while a value is read again is not followed by a call")
    func aGetterThatEndsTheObservation() {
        let (gauge, viewer, first, inGetter, inSecond, registered) = (Gauge(), Viewer(), Viewer(), Gate(), Gate(), Flag())
        let others = SharedObservationController(observer: first)
        others.observe(gauge, \.double, on: .anyThread { _, _ in })
        let observations = SharedObservationController(observer: viewer)
        gauge.beforeDouble.hold(at: inGetter)
        Threads.start {
            observations.observe(gauge, \.double, on: .anyThread { viewer, value in viewer.log.append(value) })
            registered.set()
        }
        inGetter.waitUntilHeld()
        gauge.value = 1
        gauge.beforeDouble.hold(at: inSecond)
        inGetter.open()
        inSecond.waitUntilHeld()
        observations.unobserveAll()
        inSecond.open()
        registered.wait()
        #expect(viewer.log.events == [2])
        withExtendedLifetime((others, observations)) {}
    }
}
