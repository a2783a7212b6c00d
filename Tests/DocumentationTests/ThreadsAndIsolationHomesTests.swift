import Dispatch
import SafeKVO
import SafeKVOTesting
import Synchronization
import Testing

/// Where key paths are evaluated: the table of the article *Threads and isolation*.
@Suite @MainActor struct ThreadsAndIsolationHomesTests {
    final class Job: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) what two threads use is atomic. `plain` is the misuse that a test is about; its two threads wait for
        // each other.
        @AtomicObserved var parts = 0
        @Observed var plain = 0
        let hidden = Atomic<Int>(0)
        let evaluations = Atomic<Int>(0)

        var percent: Int {
            evaluations.wrappingAdd(1, ordering: .relaxed)
            return parts * 10
        }
        var doubled: Int { plain * 2 }
        var manual: Int {
            access(\.manual)
            return hidden.load(ordering: .relaxed)
        }
        var next: Int { manual + 1 }
    }

    final class View {
        let log = EventLog<String>()
        lazy var observations = ObservationController(observer: self)
    }

    private let job = Job()
    private let view = View()

    /// Runs a closure on another thread, and waits for it.
    private func elsewhere(_ body: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group, execute: body)
        group.wait()
    }

    @Test("Rule 40: after changes elsewhere of an atomic property, the key path is evaluated at home, and the value form is called")
    func anAtomicPropertyIsChangedElsewhere() async throws {
        let (job, view) = (job, view)
        view.observations.observe(job, \.percent) { $0.log.append("value \($1)") }
        view.observations.observe(job, \.percent, options: [.prior, .old, .new], tag: "changes") { view, _, change in
            view.log.append("change \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        job.evaluations.store(0, ordering: .relaxed)
        elsewhere {
            job.parts = 1
            job.parts = 2
        }
        #expect(job.evaluations.load(ordering: .relaxed) == 0)
        try view.log.expect(["value 0"])
        while view.log.events.isEmpty { await Task.yield() }
        try view.log.expect(["value 20"])
        #expect(view.observations.counters.wrongIsolation == 2)
        job.parts = 3
        try view.log.expect(["change 20 -1", "value 30", "change 20 30"])
    }

    @Test("Rule 40: after changes elsewhere of the observed property, if it is atomic, the value form is called at home")
    func theObservedPropertyIsChangedElsewhere() async throws {
        let (job, view) = (job, view)
        view.observations.observe(job, \.parts) { $0.log.append("value \($1)") }
        view.observations.observe(job, \.parts, options: .new, tag: "changes") { view, _, change in
            view.log.append("change \(change.newValue ?? -1)")
        }
        elsewhere {
            job.parts = 1
            job.parts = 2
        }
        try view.log.expect(["value 0"])
        while view.log.events.isEmpty { await Task.yield() }
        try view.log.expect(["value 2"])
        #expect(view.observations.counters == ObservationCounters(delivered: 2, wrongIsolation: 2, overtaken: 1))
        job.parts = 3
        try view.log.expect(["value 3", "change 3"])
    }

    @Test("Rule 40: a pause leaves out what comes from elsewhere, too, and its value is read at home when it ends")
    func theObservedPropertyIsChangedElsewhereDuringAPause() async throws {
        let (job, view) = (job, view)
        view.observations.observe(job, \.parts) { $0.log.append("value \($1)") }
        view.observations.pause()
        elsewhere { job.parts = 1 }
        for _ in 0..<10 { await Task.yield() }
        try view.log.expect(["value 0"])
        view.observations.resume()
        try view.log.expect(["value 1"])
    }

    @Test("Rule 40: likewise after a manual notification elsewhere")
    func aKeyIsAnnouncedElsewhere() async throws {
        let (job, view) = (job, view)
        view.observations.observe(job, \.next) { $0.log.append("value \($1)") }
        elsewhere { job.withChange(of: \.manual) { job.hidden.store(5, ordering: .relaxed) } }
        try view.log.expect(["value 1"])
        while view.log.events.isEmpty { await Task.yield() }
        try view.log.expect(["value 6"])
        #expect(view.observations.counters.wrongIsolation == 0)
    }

    @Test("Rule 40: a plain property that is changed elsewhere calls nobody, and is counted")
    func aPlainPropertyIsChangedElsewhere() async throws {
        let (job, view) = (job, view)
        view.observations.observe(job, \.doubled) { $0.log.append("value \($1)") }
        elsewhere { job.plain = 3 }
        #expect(view.observations.counters.wrongIsolation == 1)
        for _ in 0..<10 { await Task.yield() }
        try view.log.expect(["value 0"])
        job.plain = 4
        try view.log.expect(["value 8"])
    }
}
