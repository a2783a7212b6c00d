import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import TestSupport
import Testing

/// Announcements by hand that are open while a key path is evaluated.
extension EvaluationTests {
    @Test("Rules 23, 24: a will of a thread that has ended is not another thread's, and is reported when the object is deallocated")
    func announcementsOfThreadsThatHaveEnded() async throws {
        final class Shared: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) one thread after the other.
            @Observed var x = 1
        }
        Warnings.listen()
        let start: UInt = #line
        do {
            let shared = Shared()
            let observations = ObservationController(observer: log, retainsObserved: false)
            observations.observe(shared, \.x, options: .new) { log, _, change in log.append(change.told) }
            await Threads.run { shared.willChangeValue(for: \.x, line: start) }
            await Threads.run {
                for value in 2...200 { shared.x = value }
                shared.withChange(of: \.x) { shared.x = 0 }
                shared.didChangeValue(for: \.x)
            }
            #expect(log.removeAll() == (2...200).map { "after new \($0)" } + ["after new 0"])
            observations.observe(shared, \.x, options: .new, tag: "again") { _, _, _ in }
            #expect(ObservationDiagnostics.observations(of: shared).map(\.unmatchedChange?.line) == [UInt16(start), UInt16(start)])
            #expect(Warnings.about(start...start) == [])
        }
        #expect(Warnings.about(start...start) == ["abandonedAnnouncement 0"])
    }

    // MARK: By hand and by itself

    @Test("Rules 23, 29: a computed property whose setter announces it, over an observed one, tells one change")
    func aSetterThatAnnouncesADerivedKey() throws {
        final class Thermometer: KeyValueObject {
            @Observed var kelvin = 273
            var celsius: Int {
                get { kelvin - 273 }
                set { withChange(of: \.celsius) { kelvin = newValue + 273 } }
            }
        }
        let thermometer = Thermometer()
        listen(to: thermometer, \.celsius, [.old, .new, .prior])
        thermometer.celsius = 5
        try log.expect(["prior old 0", "after old 0 new 5"])
        thermometer.kelvin = 280
        try log.expect(["prior old 5", "after old 5 new 7"])
        withBatchedChanges { thermometer.celsius = 1 }
        try log.expect(["prior old 7", "after old 7 new 1"])
    }

    @Test("Rules 10, 14: a path first observed inside an announcement of a hop hears of its end, and what follows")
    func aPathObservedInsideAnAnnouncement() throws {
        let store = Store()
        store.mid = Store()
        let other = Store()
        observations.observe(store, \.mid, options: .new) { _, _, _ in }
        store.withChange(of: \.mid) {
            listen(to: store, \.mid?.x, .new)
            store.mid = other
        }
        try log.expect(["after new Optional(0)"])
        other.x = 5
        try log.expect(["after new Optional(5)"])
    }

    @Test("Rules 10, 14: so does one that is first observed in a prior call of a hop")
    func aPathObservedInAPriorCall() throws {
        let store = Store()
        store.mid = Store()
        let other = Store()
        observations.observe(store, \.mid, options: .prior, tag: "prior") { [self] _, _, change in
            if change.isPrior { listen(to: store, \.mid?.x, .new) }
        }
        store.mid = other
        try log.expect(["after new Optional(0)"])
        other.x = 5
        try log.expect(["after new Optional(5)"])
    }
}
