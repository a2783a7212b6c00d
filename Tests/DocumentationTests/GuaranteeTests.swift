import Dispatch
import SafeKVO
import SafeKVOTesting
import Testing

/// The guarantees about lifetimes and threads that README sums up.
@Suite struct GuaranteeTests {
    class Subject: KeyValueObject {
        @Observed var value = 0
        @AtomicObserved var total = 0
    }

    final class Observer {
        let log: EventLog<Int>
        lazy var observations = ObservationController(observer: self)
        lazy var nonRetaining = ObservationController(observer: self, retainsObserved: false)

        init(_ log: EventLog<Int> = EventLog()) {
            self.log = log
        }
    }

    @Test("Rules 30 and 33: after the observer is gone no handler runs; what arrives is dropped and counted")
    func aDeadObserverIsNotCalled() throws {
        let log = EventLog<Int>()
        let subject = Subject()
        var observer: Observer? = Observer(log)
        let observations = try ObservationController(observer: #require(observer))
        observations.observe(subject, \.value) { observer, value in observer.log.append(value) }
        subject.value = 1
        observer = nil
        subject.value = 2
        subject.value = 3
        try log.expect([0, 1])
        #expect(observations.counters == ObservationCounters(delivered: 2, dropped: 1))
    }

    @Test("Rule 32: the observed object may die first; its observations end and onTermination says why")
    func theObservedObjectMayDieFirst() throws {
        let ends = EventLog<ObservationEndReason>()
        let observer = Observer()
        weak var gone: Subject?
        do {
            let subject = Subject()
            gone = subject
            observer.nonRetaining.observe(subject, \.value) { observer, value in
                observer.log.append(value)
            } onTermination: {
                ends.append($0)
            }
            subject.value = 1
        }
        #expect(gone == nil)
        try observer.log.expect([0, 1])
        try ends.expect([.objectDeinitialized])
        #expect(observer.nonRetaining.unobserveAll() == 0)
    }

    @Test("Rule 48: adding twice and removing twice does nothing the second time, and says so")
    func addingAndRemovingTwiceIsHarmless() throws {
        let subject = Subject()
        let observer = Observer()
        #expect(observer.observations.observe(subject, \.value) { observer, value in observer.log.append(value) } == .added)
        #expect(observer.observations.observe(subject, \.value) { observer, value in observer.log.append(-value) } == .alreadyObserved)
        subject.value = 1
        #expect(observer.observations.unobserve(subject, \.value) == 1)
        #expect(observer.observations.unobserve(subject, \.value) == 0)
        subject.value = 2
        try observer.log.expect([0, 1])
    }

    @Test("Rule 9: an observer that is removed during a delivery and still waiting is not called")
    func aRemovalInsideAHandlerCountsAtOnce() throws {
        let log = EventLog<Int>()
        let subject = Subject()
        let first = Observer(log)
        let second = Observer(log)
        first.observations.observe(subject, \.value, options: .new) { [weak second] first, subject, change in
            first.log.append(1)
            second?.observations.unobserve(subject)
        }
        second.observations.observe(subject, \.value, options: .new) { second, _, _ in second.log.append(2) }
        subject.value = 1
        try log.expect([1])
    }

    @Test("Rule 31: an object that observes itself is neither leaked nor crashed")
    func anObjectMayObserveItself() throws {
        final class Narcissus: KeyValueObject {
            let log: EventLog<Int>
            @Observed var value = 0
            lazy var observations = ObservationController(observer: self)

            init(_ log: EventLog<Int>) {
                self.log = log
                super.init()
                observations.observe(self, \.value) { narcissus, value in narcissus.log.append(value) }
            }
        }
        let log = EventLog<Int>()
        let tracker = LifetimeTracker()
        do {
            let narcissus = tracker.track(Narcissus(log))
            narcissus.value = 1
        }
        try log.expect([0, 1])
        try tracker.expectAllGone()
    }

    @Test("Rule 35: observer, observed object and controller may be released inside a handler")
    func allThreeMayBeReleasedInsideAHandler() throws {
        final class Owner {
            var subject: Subject?
            var observer: Observer?
            var observations: ObservationController<Observer>?
        }
        let log = EventLog<Int>()
        let tracker = LifetimeTracker()
        let owner = Owner()
        owner.subject = tracker.track(Subject())
        owner.observer = tracker.track(Observer(log))
        owner.observations = owner.observer.map { ObservationController(observer: $0) }
        owner.observations?.observe(owner.subject, \.value, options: .new) { [weak owner] observer, _, change in
            owner?.subject = nil
            owner?.observer = nil
            owner?.observations = nil
            observer.log.append(change.newValue ?? -1)
        }
        owner.subject?.value = 7
        try log.expect([7])
        try tracker.expectAllGone()
    }

    @Test("Rule 35: a controller that is first used in its observer's deinit refuses, and says so")
    func aControllerMayBeUsedInDeinit() throws {
        final class LateObserver {
            let subject: Subject
            let results: EventLog<ObservationResult>
            lazy var observations = ObservationController(observer: self)

            init(_ subject: Subject, _ results: EventLog<ObservationResult>) {
                self.subject = subject
                self.results = results
            }

            deinit {
                results.append(observations.observe(subject, \.value) { _, _ in })
                observations.unobserveAll()
            }
        }
        let subject = Subject()
        let results = EventLog<ObservationResult>()
        _ = LateObserver(subject, results)
        subject.value = 1
        try results.expect([.refused(.observerDeinitialized)])
    }

    @Test("Rules 36 and 37: threads may write an atomic property and come and go as observers; each write is one call")
    func threadsMayShareAnAtomicProperty() {
        // SAFETY: (of @unchecked Sendable) the only property that is used is atomic.
        final class Counter: KeyValueObject, @unchecked Sendable {
            @AtomicObserved var total = 0
        }
        final class Watcher: Sendable {
            let log = EventLog<Int>()
        }
        let counter = Counter()
        let watcher = Watcher()
        let observations = ObservationController(observer: watcher)
        observations.observe(
            counter, \.total, options: .new,
            on: .anyThread { watcher, _, change in watcher.log.append(change.newValue ?? -1) })
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 {
                counter.$total.update { $0 += 1 }
                let visitor = Watcher()
                let visit = ObservationController(observer: visitor)
                visit.observe(counter, \.total, on: .anyThread { visitor, value in visitor.log.append(value) })
                visit.unobserve(counter, \.total)
            }
        }
        #expect(watcher.log.events.sorted() == Array(1...400))
        #expect(counter.total == 400)
    }

    @Test("Rule 33: a handler and what it captured are released when the observation ends, not when the controller does")
    func aHandlerIsReleasedAtRemoval() throws {
        let tracker = LifetimeTracker()
        let subject = Subject()
        let observer = Observer()
        do {
            let captured = tracker.track(Subject())
            observer.observations.observe(subject, \.value) { _, value in captured.value = value }
        }
        #expect(tracker.survivors.count == 1)
        observer.observations.unobserve(subject)
        try tracker.expectAllGone()
    }

    @Test("Rule 40: a handler of the main actor is not run on another thread; the change is counted instead")
    @MainActor func aHandlerOfTheMainActorStaysThere() throws {
        let subject = Subject()
        let observer = Observer()
        observer.observations.observe(subject, \.value, options: .new) { observer, _, change in
            observer.log.append(change.newValue ?? -1)
        }
        // SAFETY: (of nonisolated(unsafe)) this thread waits for the other; it is the misuse that the test is about.
        nonisolated(unsafe) let shared = subject
        Self.onAnotherThread { unsafe shared.value = 1 }
        try observer.log.expect([])
        #expect(observer.observations.counters == ObservationCounters(wrongIsolation: 1))
    }

    @Test("Rule 40: a handler of the main actor is run on the main actor, also where that is not the thread that started the program")
    @MainActor func aHandlerOfTheMainActorRunsThere() async throws {
        let subject = Subject()
        let observer = Observer()
        await Task.yield()
        observer.observations.observe(subject, \.value) { observer, value in
            MainActor.assertIsolated()
            observer.log.append(value)
        }
        subject.value = 1
        try observer.log.expect([0, 1])
    }

    private nonisolated static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group, execute: body)
        group.wait()
    }
}
