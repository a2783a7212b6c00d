import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rules 5, 10, 37, 38 and 47: the end of a batch beside another thread, and calls before a change.
@Suite struct BatchTurnTests {
    final class Shared: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let left = ObservedValue(0)
        let right = ObservedValue(0)
        var sum: Int { left.value + right.value }
    }

    final class SharedViewer: SharedObserver {
        let observationSlot = SharedObservationSlot()
        let log = EventLog<String>()
    }

    final class Model: KeyValueObject {
        @Observed var number = 0
        @Observed var text = ""
        @Observed var next: Model?
        let shared = ObservedValue(0)
        @AtomicObserved var atomic = 0
    }

    final class Viewer {
        let log = EventLog<String>()
        lazy var observations = ObservationController(observer: self)
    }

    @Test("Rules 37, 47: what another thread writes during the calls at the end of a batch is delivered after them")
    func writingDuringTheEndOfABatch() {
        let (model, first, second, gate, end) = (Shared(), SharedViewer(), SharedViewer(), Gate(), Flag())
        first.observations.observe(model, \.sum, options: .new, on: .anyThread { _, _, _ in gate.pass() })
        second.observations.observe(model, \.sum, options: [.old, .new], on: .anyThread { $0.log.append($2.told) })
        Threads.start {
            withBatchedChanges { model.left.value = 1 }
            end.set()
        }
        gate.waitUntilHeld()
        model.right.value = 10
        gate.open()
        end.wait()
        #expect(second.log.events == ["after old 0 new 1", "after old 1 new 11"])
    }

    @Test("Rules 5, 47: the first change in a batch that concerns an observer has a prior call, although one before it did not concern it")
    func aPriorCallAfterAChangeThatIsNotCalledFor() {
        let (model, viewer) = (Model(), Viewer())
        viewer.observations.observe(model, \.self, options: .prior) { $0.log.append($2.isPrior ? "prior" : "after") }
        withBatchedChanges {
            model.atomic = 1
            model.number = 1
            model.number = 2
            model.atomic = 2
        }
        #expect(viewer.log.removeAll() == ["prior", "after"])
        withBatchedChanges { model.atomic = 3 }
        #expect(viewer.log.removeAll() == [])
    }

    @Test("Rules 5, 38: a change that arrives during the initial call has no prior call")
    func noPriorCallForAChangeDuringTheInitialCall() {
        let (model, viewer) = (Model(), Viewer())
        viewer.observations.observe(model, \.number, options: [.initial, .prior, .old, .new]) { viewer, model, change in
            viewer.log.append(change.told)
            if change.isInitial { model.number = 1 }
        }
        #expect(viewer.log.removeAll() == ["initial new 0", "after old 0 new 1"])
        model.number = 2
        #expect(viewer.log.removeAll() == ["prior old 1", "after old 1 new 2"])
    }

    @Test("Rules 1, 13: who registers in a handler follows what the key path reads now, although others have not been called yet")
    func registeringBeforeThePathIsEvaluated() {
        let (model, viewer) = (Model(), Viewer())
        viewer.observations.observe(model, \.next?.number, options: []) { viewer, model, _ in
            viewer.observations.observe(model, \.next?.text, tag: "late") { $0.log.append("late \($1 ?? "nil")") }
            model.text = "new"
            viewer.log.append("set")
        }
        viewer.observations.observe(model, \.next?.text, options: [.old, .new]) { $0.log.append($2.told) }
        model.next = model
        #expect(viewer.log.removeAll().prefix(3).contains("late new"))
        model.next = nil
    }
}
