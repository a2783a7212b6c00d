import SafeKVO
import SafeKVOTesting
import Testing

/// Changes, and what ends with an observation, that somebody keeps.
@Suite struct KeptChangeTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
    }
    final class Observer {}
    final class Keeper {
        var changes: [KeyValueChange<Int>] = []
    }

    @Test("Rules 7, 33: a kept change keeps neither the handler nor its captures")
    func aKeptChangeKeepsNoHandler() throws {
        let tracker = LifetimeTracker()
        let subject = Subject()
        let observer = Observer()
        var kept: KeyValueChange<Int>?
        do {
            let keeper = tracker.track(Keeper())
            let observations = ObservationController(observer: observer)
            observations.observe(subject, \.value, options: [.old, .new]) { [keeper] _, _, change in keeper.changes.append(change) }
            subject.value = 1
            kept = keeper.changes.first
            observations.invalidate()
        }
        try tracker.expectAllGone()
        #expect(kept?.newValue == 1)
    }

    @Test("Rule 33: what onTermination captures is released at the end, also while a delivery is under way")
    func whatOnEndCapturesIsReleased() throws {
        let tracker = LifetimeTracker()
        let subject = Subject()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        var survivors: [String] = ["not looked at"]
        observations.observe(subject, \.value, options: .new) { _, subject, _ in
            observations.unobserve(subject, \.value, tag: "other")
            survivors = tracker.survivors
        }
        do {
            let captured = tracker.track(EventLog<String>())
            observations.observe(subject, \.value, options: .new, tag: "other") { _, _, _ in
            } onTermination: { reason in
                captured.append("\(reason)")
            }
        }
        subject.value = 1
        #expect(survivors.isEmpty)
    }

    @MainActor @Test("Rule 38: who registers on another thread before a change is announced hears it once")
    func whoIsThereHearsAChangeOnce() throws {
        final class Shared: KeyValueObject, @unchecked Sendable {
            @AtomicObserved var value = 0
        }
        let subject = Shared()
        let observer = Observer()
        let log = EventLog<Int>()
        let outer = ObservationController(observer: observer)
        var isNested = false
        outer.observe(subject, \.value, options: [.prior]) { _, subject, change in
            guard change.isPrior, !isNested else { return }
            isNested = true
            outer.observe(subject, \.value, options: [.initial, .new], tag: "late") { _, _, change in
                log.append(change.newValue ?? -1)
            }
            subject.value = 2
        }
        subject.value = 1
        try log.expect([0, 2])
    }
}
