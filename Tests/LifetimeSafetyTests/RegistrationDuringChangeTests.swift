import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rules 9, 10, 37 and 38: registering while another thread makes a change, or registers on the same key.
@Suite struct RegistrationDuringChangeTests {
    final class Viewer: SharedObserver {
        let observationSlot = SharedObservationSlot()
        let log = EventLog<String>()
    }

    /// The getter is held between its two reads.
    final class Pair: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let left = ObservedValue(0)
        let right = ObservedValue(0)
        let gate = Gate()
        var sum: Int {
            let left = left.value
            gate.pass()
            return left + right.value
        }
    }

    /// The value is announced by hand.
    final class Store: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        private let stored = Atomic(0)
        var value: Int {
            access(\.value)
            return stored.load(ordering: .sequentiallyConsistent)
        }
        func set(_ value: Int, _ inside: () -> Void) {
            withChange(of: \.value) {
                inside()
                stored.store(value, ordering: .sequentiallyConsistent)
            }
        }
    }

    @Test("Rule 38: who registers before the value is in place gets the change, with or without an initial call", arguments: [false, true])
    func registeringBeforeTheValueIsInPlace(initial: Bool) {
        let (value, viewer, gate, end) = (ObservedValue(0), Viewer(), Gate(), Flag())
        viewer.observations.observe(
            value, \.value, options: .prior, tag: "prior", on: .anyThread { _, _, change in if change.isPrior { gate.pass() } })
        TestSupport.Threads.start {
            value.value = 48
            end.set()
        }
        gate.waitUntilHeld()
        viewer.observations.observe(value, \.value, initial: initial, on: .anyThread { $0.log.append("\($1)") })
        value.value = 7
        gate.open()
        end.wait()
        #expect(viewer.log.events == (initial ? ["0"] : []) + ["7", "48"])
    }

    @Test("Rule 38: an observer of the whole object gets a change that another thread is announcing")
    func registeringDuringAnAnnouncement() {
        let (store, viewer, gate, end) = (Store(), Viewer(), Gate(), Flag())
        TestSupport.Threads.start {
            store.set(21) { gate.pass() }
            end.set()
        }
        gate.waitUntilHeld()
        viewer.observations.observe(store, \.self, options: [], on: .anyThread { viewer, store, _ in viewer.log.append("\(store.value)") })
        gate.open()
        end.wait()
        #expect(viewer.log.events == ["21"])
    }

    @Test("Rules 9, 10, 19, 37: who registers during the first evaluation on another thread causes no call and no warning")
    func registeringDuringTheFirstEvaluation() {
        Warnings.listen()
        let (pair, first, second, end) = (Pair(), Viewer(), Viewer(), Flag())
        let line: UInt = #line
        TestSupport.Threads.start {
            first.observations.observe(pair, \.sum, options: [.old, .new], on: .anyThread { $0.log.append($2.told) })
            end.set()
        }
        pair.gate.waitUntilHeld()
        second.observations.observe(pair, \.sum, options: [.initial, .old, .new], on: .anyThread { $0.log.append($2.told) })
        pair.gate.open()
        end.wait()
        #expect(first.log.removeAll() == [])
        #expect(second.log.removeAll() == ["initial new 0"])
        pair.right.value = 1
        #expect(first.log.removeAll() == ["after old 0 new 1"])
        #expect(second.log.removeAll() == ["after old 0 new 1"])
        #expect(Warnings.about(line...line + 6) == [])
    }

    @Test("Rules 37, 38: what is written while both evaluate is delivered")
    func writingDuringTheFirstEvaluation() {
        let (pair, first, second, end) = (Pair(), Viewer(), Viewer(), Flag())
        TestSupport.Threads.start {
            first.observations.observe(pair, \.sum, options: [.old, .new], on: .anyThread { $0.log.append($2.told) })
            end.set()
        }
        pair.gate.waitUntilHeld()
        second.observations.observe(pair, \.sum, options: [.initial, .old, .new], on: .anyThread { $0.log.append($2.told) })
        // The first evaluation has not read it.
        pair.right.value = 1
        pair.gate.open()
        end.wait()
        #expect(second.log.removeAll() == ["initial new 0", "after old 0 new 1"])
        pair.left.value = 1
        #expect(first.log.removeAll().last == "after old 1 new 2")
        #expect(second.log.removeAll() == ["after old 1 new 2"])
    }
}
