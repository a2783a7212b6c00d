import Foundation
import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rules 1 and 11a where threads write at the same time: a handler that is told values runs on one thread at a time, and none of them is older than the
/// one before.
@Suite struct ConcurrentValueTests {
    final class Level: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var value = 0
    }

    final class Shared: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var level = 0
        @AtomicObserved var inner = Level()
        var next: Int { level + 1 }
    }

    /// An observer that looks whether calls overlap.
    final class Viewer: Sendable {
        private let isInside = Atomic(false)
        private let overlaps = Atomic(0)
        /// The values, written down when their call is about to return.
        let returned = EventLog<Int>()

        var overlapCount: Int { overlaps.load(ordering: .relaxed) }

        func take(_ value: Int, _ delay: Int = 0) {
            if isInside.exchange(true, ordering: .sequentiallyConsistent) { overlaps.add(1, ordering: .relaxed) }
            for _ in 0..<delay { sched_yield() }
            returned.append(value)
            isInside.store(false, ordering: .sequentiallyConsistent)
        }
    }

    enum Form: CaseIterable { case property, filtered, computed, path }

    private func observe(_ shared: Shared, _ form: Form, with observations: ObservationController<Viewer>, _ seed: UInt64) {
        let take: @Sendable (Viewer, Int) -> Void = { viewer, value in
            var random = SeededGenerator(seed: seed &+ UInt64(value))
            viewer.take(value, random.next().isMultiple(of: 4) ? Int(random.next() % 4) : 0)
        }
        switch form {
        case .property: observations.observe(shared, \.level, on: .anyThread(take))
        case .filtered: observations.observe(shared, \.level, removing: .duplicates, on: .anyThread(take))
        case .computed: observations.observe(shared, \.next, on: .anyThread(take))
        case .path: observations.observe(shared, \.inner.value, on: .anyThread(take))
        }
    }

    @Test("Rules 1, 11a: beside other writers a handler runs on one thread at a time, and values do not go back", arguments: Form.allCases)
    func valuesDoNotGoBack(in form: Form) async throws {
        for seed in SeededGenerator.seeds {
            let (shared, viewer) = (Shared(), Viewer())
            let observations = ObservationController(observer: viewer)
            observe(shared, form, with: observations, seed)
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await Threads.run {
                            for _ in 0..<500 {
                                if form == .path { shared.inner.$value.update { $0 += 1 } } else { shared.$level.update { $0 += 1 } }
                            }
                        }
                    }
                }
            }
            let values = viewer.returned.events
            try #require(viewer.overlapCount == 0, "seed \(seed)")
            try #require(values == values.sorted(), "seed \(seed)")
            let last = form == .path ? shared.inner.value : form == .computed ? shared.next : shared.level
            try #require(values.last == last, "seed \(seed)")
            let counters = observations.counters
            try #require(counters.delivered == UInt64(values.count), "seed \(seed)")
        }
    }

    class Stock: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var items: [Int] = []
    }

    class SlowStock: Stock, @unchecked Sendable {
        override var items: [Int] {
            get {
                let value = super.items
                usleep(1)
                return value
            }
            set { super.items = newValue.sorted() }
        }
    }

    final class StockViewer: Sendable {
        let last = Mutex<[Int]>([])
    }

    @Test("Rules 11a, 20b: after edits of an inherited collection by several threads, the last value is that of the property")
    func editsOfAnInheritedCollection() async throws {
        for round in 0..<100 {
            let (stock, viewer) = (SlowStock(), StockViewer())
            let observations = ObservationController(observer: viewer)
            observations.observe(stock, \.items, on: .anyThread { viewer, items in viewer.last.withLock { $0 = items } })
            await withTaskGroup { group in
                for thread in 0..<3 {
                    group.addTask {
                        await Threads.run { for n in 0..<10 { stock.mutableArrayValue(for: \.items).append(thread * 100 + n) } }
                    }
                }
            }
            try #require(viewer.last.withLock { $0 } == stock.items, "round \(round)")
        }
    }

    @Test("Rules 11a, 46: the values of a sequence do not go back beside other writers, and end with the value")
    func aSequenceDoesNotGoBack() async throws {
        for seed in SeededGenerator.seeds {
            let (shared, viewer) = (Shared(), Viewer())
            let observations = SharedObservationController(observer: viewer)
            let values = observations.values(of: shared, \.level)
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { await Threads.run { for _ in 0..<200 { shared.$level.update { $0 += 1 } } } } }
            }
            observations.unobserveAll()
            var seen: [Int] = []
            for await value in values { seen.append(value) }
            try #require(seen == seen.sorted(), "seed \(seed)")
            try #require(seen.last == 600, "seed \(seed)")
        }
    }

    @Test("Rule 1: a later writer leaves its newest value to the thread in the handler, which hands it over next")
    func theNewestValueIsLeft() throws {
        let (shared, viewer, gate, isDone) = (Shared(), Viewer(), Gate(), Flag())
        let observations = ObservationController(observer: viewer)
        let threads = EventLog<ObjectIdentifier>()
        observations.observe(
            shared, \.level,
            on: .anyThread { viewer, level in
                if level == 1 { gate.pass() }
                threads.append(ObjectIdentifier(Thread.current))
                viewer.take(level)
            })
        Threads.start {
            shared.level = 1
            isDone.set()
        }
        gate.waitUntilHeld()
        shared.level = 2
        shared.level = 3
        #expect(shared.level == 3)
        try viewer.returned.expect([0])
        gate.open()
        isDone.wait()
        try viewer.returned.expect([1, 3])
        #expect(threads.events[1] == threads.events[2])
        #expect(threads.events[0] != threads.events[1])
        #expect(observations.counters == ObservationCounters(delivered: 3, overtaken: 1))
        shared.level = 4
        try viewer.returned.expect([4])
    }

    @Test("Rules 1, 11: a set inside the handler is delivered nested also where another thread has left a value")
    func aNestedSetComesFirst() throws {
        let (shared, viewer, gate, isDone) = (Shared(), Viewer(), Gate(), Flag())
        let observations = ObservationController(observer: viewer)
        observations.observe(
            shared, \.level,
            on: .anyThread { viewer, level in
                if level == 1 {
                    gate.pass()
                    shared.level = 10
                }
                viewer.returned.append(level)
            })
        Threads.start {
            shared.level = 1
            isDone.set()
        }
        gate.waitUntilHeld()
        shared.level = 2
        gate.open()
        isDone.wait()
        try viewer.returned.expect([0, 10, 1])
        #expect(observations.counters == ObservationCounters(delivered: 3, overtaken: 1))
    }

    @Test("Rules 1, 39: a value that was left is not handed over once the observation is removed")
    func aLeftValueIsDroppedAtRemoval() throws {
        let (shared, viewer, gate, isDone) = (Shared(), Viewer(), Gate(), Flag())
        let observations = ObservationController(observer: viewer)
        observations.observe(
            shared, \.level,
            on: .anyThread { viewer, level in
                if level == 1 { gate.pass() }
                viewer.take(level)
            })
        Threads.start {
            shared.level = 1
            isDone.set()
        }
        gate.waitUntilHeld()
        shared.level = 2
        #expect(observations.unobserve(shared, \.level) == 1)
        gate.open()
        isDone.wait()
        try viewer.returned.expect([0, 1])
        #expect(observations.counters == ObservationCounters(delivered: 2))
    }

    @Test("Rules 1, 30: a value that was left to a dead observer is dropped and counted")
    func aLeftValueOfADeadObserverIsCounted() throws {
        let (shared, gate, isDone) = (Shared(), Gate(), Flag())
        let log = EventLog<Int>()
        var viewer: Viewer? = Viewer()
        let observations = viewer.map { ObservationController(observer: $0) }
        observations?.observe(
            shared, \.level,
            on: .anyThread { _, level in
                if level == 1 { gate.pass() }
                log.append(level)
            })
        Threads.start {
            shared.level = 1
            isDone.set()
        }
        gate.waitUntilHeld()
        shared.level = 2
        viewer = nil
        gate.open()
        isDone.wait()
        try log.expect([0, 1])
        #expect(observations?.counters == ObservationCounters(delivered: 2, dropped: 1))
    }

    @Test("Rule 37: the change form is told each change, on both threads at once")
    func theChangeFormIsNotHeldBack() throws {
        let (shared, viewer, gate, isDone) = (Shared(), Viewer(), Gate(), Flag())
        let observations = ObservationController(observer: viewer)
        observations.observe(
            shared, \.level, options: .new,
            on: .anyThread { viewer, _, change in
                if change.newValue == 1 { gate.pass() }
                viewer.returned.append(change.newValue ?? -1)
            })
        Threads.start {
            shared.level = 1
            isDone.set()
        }
        gate.waitUntilHeld()
        shared.level = 2
        try viewer.returned.expect([2])
        gate.open()
        isDone.wait()
        try viewer.returned.expect([1])
    }

    /// A closure that runs once, on whatever thread takes it.
    final class Hook: Sendable {
        private let body = Mutex<(@Sendable () -> Void)?>(nil)
        func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }
        func run() { body.withLock { $0.take() }?() }
    }

    /// A value that says when it dies.
    final class Mark: Sendable {
        let id: Int
        private let death: Hook?
        init(_ id: Int, _ death: Hook?) { (self.id, self.death) = (id, death) }
        deinit { death?.run() }
    }

    final class Marked: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var mark = Mark(0, nil)
        let death = Hook()
    }

    @Test("Rules 1, 36: observations come and go, and are looked at, beside writers whose values are left")
    func observationsComeAndGo() async throws {
        let (shared, viewer, isOver) = (Shared(), Viewer(), Flag())
        let observations = SharedObservationController(observer: viewer)
        async let looking: Void = Threads.run { while !isOver.isSet { _ = observations.observations } }
        await withTaskGroup { group in
            for task in 0..<3 {
                group.addTask {
                    await Threads.run {
                        for turn in 0..<300 {
                            shared.$level.update { $0 += 1 }
                            if task == 0, turn.isMultiple(of: 10) {
                                observations.unobserveAll()
                                observations.observe(shared, \.level, on: .anyThread { viewer, level in viewer.take(level) })
                            }
                        }
                    }
                }
            }
        }
        isOver.set()
        await looking
        shared.level = 1000
        #expect(viewer.returned.events.last == 1000)
    }
}
