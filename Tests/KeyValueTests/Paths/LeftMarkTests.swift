import SafeKVO
import Synchronization
import TestSupport
import Testing

/// Marks that are left for a key path at bad times must lead to an evaluation that notifies.
@Suite struct LeftMarkTests {
    final class SharedViewer: Sendable {}

    final class Shared<Value: Sendable>: Sendable {
        private let content: Mutex<Value>
        init(_ value: Value) { content = Mutex(value) }
        var value: Value { content.withLock { $0 } }
        func update(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
    }

    final class Job: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var first = 0
        @AtomicObserved var second = 0
        /// Called by the getters on the thread that evaluates.
        let hook = Shared<(@Sendable () -> Void)?>(nil)
        var sum: Int {
            hook.value?()
            return first &+ second
        }
        var announced: Int {
            access(\.announced)
            hook.value?()
            return first &+ second
        }
    }

    final class Node: KeyValueObject {
        @Observed var number = 0
        @Observed var child: Node?
        var whenRead: (() -> Void)?
        var numberOfChild: Int {
            let present = child
            whenRead?()
            return present?.number ?? -1
        }
    }

    @Test("Rule 37: what another thread changes during a registration inside a batch is told at its end")
    func aRegistrationInsideABatch() {
        let (job, viewer, other) = (Job(), SharedViewer(), SharedViewer())
        let (observations, others) = (SharedObservationController(observer: viewer), SharedObservationController(observer: other))
        let values = Shared<[Int]>([])
        observations.observe(job, \.sum, on: .anyThread { _, sum in values.update { $0.append(sum) } })
        withBatchedChanges {
            let isFirst = Shared(true)
            job.hook.update {
                $0 = {
                    if isFirst.value {
                        isFirst.update { $0 = false }
                        OtherThread.run { job.first = 5 }
                    }
                }
            }
            others.observe(job, \.sum, options: [.old, .new], on: .anyThread { _, _, _ in })
            job.hook.update { $0 = nil }
        }
        #expect(values.value.last == 5)
    }

    @Test("Rule 40: a registration at home takes no change elsewhere from those who wait for it")
    @MainActor func aRegistrationBeforeTheHop() async {
        let (job, viewer, other) = (Job(), SharedViewer(), SharedViewer())
        let (observations, others) = (ObservationController(observer: viewer), ObservationController(observer: other))
        var values: [Int] = []
        observations.observe(job, \.sum) { _, sum in values.append(sum) }
        OtherThread.run { job.first = 5 }
        others.observe(job, \.sum, initial: false) { _, _ in }
        await until { values.last == 5 }
        #expect(values == [0, 5])
    }

    @Test("Rule 40: an announcement made elsewhere runs no getter there, and is told at home")
    @MainActor func anAnnouncementElsewhere() async {
        let (job, viewer) = (Job(), SharedViewer())
        let observations = ObservationController(observer: viewer)
        let (values, elsewhere) = (Shared<[Int]>([]), Shared(0))
        observations.observe(
            job, \.announced, options: [.old, .new], on: .mainActor { _, _, change in values.update { $0.append(change.newValue ?? -1) } })
        observations.observe(job, \.announced, tag: "values") { _, value in values.update { $0.append(value) } }
        OtherThread.run {
            job.hook.update { $0 = { elsewhere.update { $0 += 1 } } }
            job.withChange(of: \.announced) {}
        }
        job.hook.update { $0 = nil }
        #expect(elsewhere.value == 0)
        await until { values.value.count >= 3 }
        job.second = 3
        await until { values.value.suffix(2) == [3, 3] }
        #expect(values.value.suffix(2) == [3, 3])
    }

    @Test("Rule 14: after an announcement that is cancelled inside a batch, the new object is followed")
    func aCancelledAnnouncementInsideABatch() {
        let (node, former, present) = (Node(), Node(), Node())
        node.child = former
        let viewer = SharedViewer()
        let observations = ObservationController(observer: viewer)
        var values: [Int?] = []
        observations.observe(node, \.child?.number, initial: false) { _, number in values.append(number) }
        withBatchedChanges {
            let change = node.willChange(\.child)
            node.child = present
            change.cancel()
        }
        present.number = 7
        #expect(values.last == 7)
    }

    @Test("Rule 13: a getter that changes what it reads is evaluated once more, also first inside a batch")
    func aGetterThatChangesWhatItReads() {
        let (node, former, present) = (Node(), Node(), Node())
        node.child = former
        var isFirst = true
        node.whenRead = { [unowned node] in
            if isFirst {
                isFirst = false
                node.child = present
            }
        }
        let viewer = SharedViewer()
        let observations = ObservationController(observer: viewer)
        var values: [Int] = []
        withBatchedChanges { _ = observations.observe(node, \.numberOfChild) { _, number in values.append(number) } }
        present.number = 9
        #expect(values == [0, 9])
        node.whenRead = nil
    }
}
