import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 46: changes and values as asynchronous sequences.
@Suite struct SequenceTests {
    final class Gauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
        var isHigh: Bool { level > 5 }
    }
    final class Reader: Sendable {}

    let gauge = Gauge()
    let reader = Reader()
    let observations: SharedObservationController<Reader>

    init() { observations = SharedObservationController(observer: reader) }

    @Test("Rule 46: a sequence of values begins with the present one, and starts when it is made")
    func valuesStartAtTheCall() async {
        let values = observations.values(of: gauge, \.level)
        gauge.level = 1
        gauge.level = 2
        observations.unobserveAll()
        gauge.level = 3
        var taken: [Int] = []
        for await value in values { taken.append(value) }
        #expect(taken == [0, 1, 2])
    }

    @Test("Rule 46: a sequence of changes has what the options ask for")
    func changesHaveWhatWasAskedFor() async {
        let changes = observations.changes(of: gauge, \.isHigh, options: [.old, .new])
        gauge.level = 9
        observations.invalidate()
        var iterator = changes.makeAsyncIterator()
        let change = await iterator.next()
        #expect(change?.oldValue == false)
        #expect(change?.newValue == true)
        #expect(await iterator.next() == nil)
    }

    @Test("Rule 46: two sequences of one key path are two observations")
    func eachSequenceIsAnObservation() async {
        let first = observations.values(of: gauge, \.level)
        let second = observations.values(of: gauge, \.level, removing: .duplicates)
        gauge.level = 0
        gauge.level = 1
        observations.unobserveAll()
        #expect(await first.reduce(into: []) { $0.append($1) } == [0, 0, 1])
        #expect(await second.reduce(into: []) { $0.append($1) } == [0, 1])
    }

    @Test("Rule 46: what the buffering drops is counted", arguments: [ObservationBuffering.newest(2), .oldest(2), .unbounded])
    func droppingIsCounted(buffering: ObservationBuffering) async {
        let values = observations.values(of: gauge, \.level, buffering: buffering)
        for value in 1...9 { gauge.level = value }
        observations.unobserveAll()
        let expected =
            switch buffering {
            case .newest: [8, 9]
            case .oldest: [0, 1]
            case .unbounded: Array(0...9)
            }
        #expect(values.droppedCount == 10 - expected.count)
        #expect(await values.reduce(into: []) { $0.append($1) } == expected)
    }

    @Test("Rule 46: a sequence ends with the observed object")
    func itEndsWithTheObject() async {
        let observations = SharedObservationController(observer: reader, retainsObserved: false)
        let values = {
            let gauge = Gauge()
            let values = observations.values(of: gauge, \.level)
            gauge.level = 4
            return values
        }()
        #expect(await values.reduce(into: []) { $0.append($1) } == [0, 4])
    }

    @Test("Rule 46: a sequence ends with the observer that owns its controller")
    func itEndsWithTheObserver() async {
        final class Owner: SharedObserver {
            let observationSlot = SharedObservationSlot()
        }
        let values = {
            let owner = Owner()
            return owner.observations.values(of: gauge, \.level)
        }()
        gauge.level = 1
        #expect(await values.reduce(into: []) { $0.append($1) } == [0])
    }

    @Test("Rule 46: the sequence of nothing and that of a controller that is no more are empty")
    func refusedSequencesAreEmpty() async {
        for await _ in observations.values(of: nil as Gauge?, \.level) { Issue.record("a value of nothing") }
        observations.invalidate()
        for await _ in observations.values(of: gauge, \.level) { Issue.record("a value of an invalidated controller") }
    }

    @Test("Rule 46: a cancelled task gets nothing more, also if it never waited, and the observation ends")
    func cancellationEndsAtOnce() async {
        let values = observations.values(of: gauge, \.level)
        gauge.level = 1
        let count = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await values.reduce(into: 0) { count, _ in count += 1 }
        }.value
        #expect(count == 0)
        #expect(observations.observations.isEmpty)
    }

    @Test("Rule 46: cancelling a task that waits ends the observation")
    func cancellationWhileWaiting() async {
        let values = observations.values(of: gauge, \.level)
        let waiter = Task {
            var taken: [Int] = []
            for await value in values { taken.append(value) }
            return taken
        }
        while gauge.level < 100 {
            gauge.level += 1
            await Task.yield()
        }
        waiter.cancel()
        _ = await waiter.value
        #expect(observations.observations.isEmpty)
    }

    @Test("Rule 46: cancelling the task of one of several iterators ends the sequence for all")
    func cancellationEndsAllIterators() async {
        let values = observations.values(of: gauge, \.level)
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await values.reduce(into: []) { $0.append($1) }
        }
        #expect(await cancelled.value == [])
        gauge.level = 1
        #expect(await values.reduce(into: []) { $0.append($1) } == [0])
    }

    @Test("Rules 30, 46: the end of an observer that does not hold its controller is noticed with the next change")
    func theEndOfAnObserverIsNoticed() async {
        var reader: Reader? = Reader()
        let observations = reader.map { SharedObservationController(observer: $0) }
        let values = observations?.values(of: gauge, \.level)
        reader = nil
        gauge.level = 1
        #expect(await values?.reduce(into: []) { $0.append($1) } == [0])
        #expect(observations?.counters.dropped == 1)
    }

    @Test("Rule 33: a sequence that is given an element may be the last to hold its observer, on the thread that makes the change")
    func theLastReleaseMayBeTheSequences() {
        var view: Reader? = Reader()
        let weakView = Weak(view)
        let (isInside, isLetGo) = (Flag(), Flag())
        let observations = view.map { SharedObservationController(observer: $0) }
        let removing = SharedRemovingDuplicates<Int>.duplicates { _, _ in
            isInside.set()
            isLetGo.wait()
            return false
        }
        let values = observations?.values(of: gauge, \.level, removing: removing)
        let (isDone, gauge) = (Flag(), gauge)
        Threads.start {
            gauge.level = 1
            isDone.set()
        }
        isInside.wait()
        view = nil
        #expect(weakView.object != nil)
        isLetGo.set()
        isDone.wait()
        #expect(weakView.object == nil)
        withExtendedLifetime((observations, values)) {}
    }

    @Test("Rule 46: a sequence that nobody holds any more ends its observation, and all is released")
    func aSequenceThatIsLetGoEnds() throws {
        let tracker = LifetimeTracker()
        do {
            let gauge = tracker.track(Gauge())
            let values = observations.values(of: gauge, \.level)
            var iterator: SharedObservationSequence<Int>.Iterator? = values.makeAsyncIterator()
            #expect(observations.observations.count == 1)
            _ = consume values
            iterator = nil
            _ = iterator
            #expect(observations.observations.isEmpty)
        }
        try tracker.expectAllGone()
    }

    @Test("Rule 46: no value is lost of 8 writers, and each goes to one of two iterators")
    func nothingIsLost() async {
        let changes = observations.changes(of: gauge, \.level)
        let gauge = gauge
        let observations = observations
        async let writing: Void = withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for step in 0..<1000 { gauge.level = writer * 1000 + step } }
            }
            await group.waitForAll()
            observations.unobserveAll()
        }
        @Sendable func take() async -> [Int] {
            await changes.reduce(into: []) { $0.append($1.newValue ?? -1) }
        }
        async let first = take()
        async let second = take()
        let all = await first + second
        await writing
        #expect(all.sorted() == Array(0..<8000))
    }

    @Test("Rule 46: a sequence of a controller that is not shared is taken in its isolation")
    @MainActor func aSequenceStaysInItsIsolation() async {
        let (gauge, observations) = (gauge, ObservationController(observer: reader))
        let (values, changes) = (observations.values(of: gauge, \.level), observations.changes(of: gauge, \.level))
        let ownValues = gauge.values(of: \.level, removing: .duplicates)
        for level in [1, 1, 2] { gauge.level = level }
        observations.unobserveAll()
        var heard: [Int] = []
        for await value in values { heard.append(value) }
        #expect(heard == [0, 1, 1, 2])
        heard = []
        for await change in changes { heard.append(change.newValue ?? -1) }
        #expect(heard == [1, 1, 2])
        var iterator = ownValues.makeAsyncIterator()
        #expect(await [iterator.next(), iterator.next(), iterator.next()] == [0, 1, 2])
    }

    @Test("Rule 46: a sequence of the main actor has what other threads send, and lets go of its source there")
    @MainActor func aSequenceHasWhatOtherThreadsSend() async {
        let (bell, observations) = (Bell(), ObservationController(observer: reader))
        let events = observations.events(of: bell)
        OtherThread.run { bell.ring(1) }
        bell.ring(2)
        observations.unobserveAll()
        var heard: [Int] = []
        for await event in events { heard.append(event) }
        #expect(heard == [1, 2])
        #expect(observations.counters.wrongIsolation == 0)
    }

    @Test("Rule 46: a sequence without a controller may be sent if it is shared")
    func aSharedSequenceMayBeSent() async {
        let gauge = gauge
        let (values, changes) = (gauge.sharedValues(of: \.level, removing: .duplicates), gauge.sharedChanges(of: \.level))
        for level in [1, 1, 2] { gauge.level = level }
        let heard = await Task.detached {
            var (first, second) = (values.makeAsyncIterator(), changes.makeAsyncIterator())
            let values = [await first.next(), await first.next(), await first.next()]
            let changes = [await second.next()?.newValue, await second.next()?.newValue]
            return (values, changes)
        }.value
        #expect(heard.0 == [0, 1, 2] && heard.1 == [1, 1])
    }
}
