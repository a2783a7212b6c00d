import Dispatch
import SafeKVO
import SafeKVODiagnostics
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// The snapshot of all recorded controllers.
///
/// It belongs to the whole process, so each test runs in one of its own.
@Suite struct GraphTests {
    final class Node: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.

        @Observed var value = 0
        lazy var observations = ObservationController(observer: self)
        lazy var loose = ObservationController(observer: self, retainsObserved: false)

        func watch(_ other: Node?) { observations.observe(other, \.value) { _, _ in } }
    }

    final class View: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }

    @Test("Only controllers made while recording is on are in the snapshot, in the order in which they were made")
    func onlyRecordedControllersAreTold() async {
        await #expect(processExitsWith: .success) {
            let (early, first, second, late) = (Node(), Node(), Node(), Node())
            early.watch(late)
            #expect(ObservationDiagnostics.isRecording == false)
            ObservationDiagnostics.isRecording = true
            first.watch(late)
            let view = View()
            view.observations.observe(late, \.value) { _, _ in }
            second.watch(late)
            #expect(ObservationDiagnostics.isRecording)
            let graph = ObservationDiagnostics.snapshot()
            #expect(graph.controllers.map(\.observer) == [ObjectIdentifier(first), ObjectIdentifier(view), ObjectIdentifier(second)])
            #expect(graph.controllers.map(\.observerType) == ["Node", "View", "Node"])
            #expect(graph.controllers.allSatisfy { $0.observations.count == 1 && $0.counters.delivered == 1 && !$0.isObserverGone })
            ObservationDiagnostics.isRecording = false
            late.watch(first)
            #expect(ObservationDiagnostics.snapshot().controllers.isEmpty)
            withExtendedLifetime((early, first, second, late, view)) {}
        }
    }

    final class Leaf: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var value = 0
    }

    final class Branch: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var leaf = Leaf()
    }

    final class SharedView: Sendable {}

    @Test("Rule 36: a snapshot names what a key path follows while another thread replaces it")
    func aSnapshotBesideAWriter() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let (branch, view, isDone) = (Branch(), SharedView(), Flag())
            let observations = SharedObservationController(observer: view)
            observations.observe(branch, \.leaf.value, on: .anyThread { _, _ in })
            Threads.start {
                for _ in 0..<20_000 { branch.leaf = Leaf() }
                isDone.set()
            }
            while !isDone.isSet { #expect(!ObservationDiagnostics.snapshot().mermaid.isEmpty) }
        }
    }

    @Test("Recording keeps nothing alive: a controller that is gone is not in the snapshot")
    func recordingKeepsNothingAlive() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let tracker = LifetimeTracker()
            let subject = Node()
            for _ in 0..<1000 { tracker.track(Node()).watch(subject) }
            #expect(ObservationDiagnostics.snapshot().controllers.isEmpty)
            try tracker.expectAllGone()
            try expectNoObservations(on: subject)
            withExtendedLifetime(subject) {}
        }
    }

    @Test("Rule 31: a cycle that retaining makes is marked, in the text and in the graph")
    func aRetainCycleIsMarked() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let (a, b, c) = (Node(), Node(), Node())
            a.watch(b)
            b.watch(c)
            #expect(ObservationDiagnostics.snapshot().retainCycles.isEmpty)
            c.watch(a)
            let graph = ObservationDiagnostics.snapshot()
            #expect(graph.retainCycles.map { $0.map(\.observer) } == [[ObjectIdentifier(a), ObjectIdentifier(b), ObjectIdentifier(c)]])
            #expect(graph.retainCycles.map { $0.map(\.subject) } == [[ObjectIdentifier(b), ObjectIdentifier(c), ObjectIdentifier(a)]])
            #expect(graph.description.hasPrefix("3 controllers, 3 observations, 1 retain cycles\n"))
            #expect(graph.description.contains("\nretain cycle:\n  Node observes Node.value, "))
            #expect(graph.mermaid.split(separator: "\n").last == "    linkStyle 0,1,2 stroke:red")
            c.observations.unobserve(a)
            #expect(ObservationDiagnostics.snapshot().retainCycles.isEmpty)
            // Without retaining there is none.
            c.loose.observe(a, \.value) { _, _ in }
            #expect(ObservationDiagnostics.snapshot().retainCycles.isEmpty)
            withExtendedLifetime((a, b, c)) {}
        }
    }

    @Test("Rule 31: an object that observes itself is never retained, and is no cycle")
    func observingItselfIsNoCycle() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let node = Node()
            node.watch(node)
            let graph = ObservationDiagnostics.snapshot()
            #expect(graph.controllers.first?.observations.map(\.retainsSubject) == [false])
            #expect(graph.retainCycles.isEmpty)
            withExtendedLifetime(node) {}
        }
    }

    @Test("What is left of an observer that is gone is no part of a cycle, whoever is at its address now")
    func whatIsGoneIsNoCycle() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let a = Node()
            var b: Node? = Node()
            let observations = b?.observations
            b?.watch(a)
            let address = b.map { ObjectIdentifier($0) }
            var others: [Node] = []
            others.reserveCapacity(10_000)
            b = nil
            while others.count < 10_000, others.last.map({ ObjectIdentifier($0) }) != address { others.append(Node()) }
            let left = ObservationDiagnostics.snapshot()
            #expect(left.controllers.map(\.isObserverGone) == [true])
            #expect(left.description.contains("ObservationController of Node, which is deallocated, retaining: "))
            #expect(left.mermaid.contains("[\"Node, deallocated\"]"))
            // A sanitizer gives no address out again.
            guard let there = others.last, ObjectIdentifier(there) == address else { return }
            a.watch(there)
            let graph = ObservationDiagnostics.snapshot()
            #expect(graph.retainCycles.isEmpty)
            #expect(graph.mermaid.contains("[\"Node, deallocated\"]"))
            withExtendedLifetime((a, observations, others)) {}
        }
    }

    @Test("The graph in Mermaid's language: numbered objects, solid, dotted and thick arrows, and texts that stand for themselves")
    func theMermaidGraph() async {
        await #expect(processExitsWith: .success) {
            final class Box<Value>: KeyValueObject {
                @Observed var value = 0
            }
            ObservationDiagnostics.isRecording = true
            let (a, b, c) = (Node(), Node(), Node())
            let (box, center) = (Box<Int>(), MessageCenter())
            a.watch(b)
            b.watch(a)
            c.watch(a)
            c.loose.observe(box, \.value) { _, _ in }
            c.observations.observe(center, for: "a \"quoted\" <name> #1") { _, _ in }
            let mermaid = ObservationDiagnostics.snapshot().mermaid
            #expect(
                mermaid == """
                    flowchart LR
                        n0["Node"]
                        n1["Node 2"]
                        n2["Node 3"]
                        n3["MessageCenter"]
                        n4["Box#lt;Int#gt;"]
                        n0 ==>|"value, 1 calls"| n1
                        n1 ==>|"value, 1 calls"| n0
                        n2 -->|"value, 1 calls"| n0
                        n2 -->|"'a #quot;quoted#quot; #lt;name#gt; #35;1', 0 calls"| n3
                        n2 -.->|"value, 1 calls"| n4
                        linkStyle 0,1 stroke:red
                    """)
            withExtendedLifetime((a, b, c, box, center)) {}
        }
    }

    @Test("A snapshot may be taken while controllers come and go on other threads")
    func aSnapshotHarmsNobody() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let subject = SharedLevel()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<300 {
                    if thread == 0 {
                        _ = ObservationDiagnostics.snapshot().mermaid
                    } else {
                        let observer = Node()
                        observer.observations.observe(subject, \.level) { _, _ in }
                        subject.level = round
                    }
                }
            }
            #expect(ObservationDiagnostics.snapshot().controllers.isEmpty)
            try expectNoObservations(on: subject)
        }
    }
}
