import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rule 41: delivery on another isolation.
@Suite struct TransferTests {
    final class Download: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var progress = 0
        @AtomicObserved var parts: [Int] = []
        var isDone: Bool { progress >= 100 }
    }

    @MainActor final class View {
        var values: [Int] = []
        nonisolated init() {}
        func note(_ value: Int) {
            values.append(value)
            MainActor.assertIsolated()
        }
    }

    @Archive final class Log {
        var values: [Int] = []
        nonisolated init() {}
    }

    actor Station {
        var values: [Int] = []
        var log: [String] = []
        func note(_ value: Int) { values.append(value) }
    }

    final class Plain: Sendable {}

    /// An object whose values change it again when they go.
    final class Basket: KeyValueObject, @unchecked Sendable {
        final class Egg: Sendable {
            let basket: Basket
            init(in basket: Basket) { self.basket = basket }
            deinit { basket.egg = nil }
        }
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var egg: Egg?
    }

    /// An actor whose handler makes the next change, until it is told to stop.
    actor Wheel {
        private(set) var turns = 0
        private(set) var isStopped = false
        /// An end of its own, as late as that of `until`, so that the test fails and does not hang.
        private let limit = ContinuousClock.now + .seconds(300)
        private(set) var hasRunOut = false
        private lazy var observations = ObservationController(observer: self)

        func start(_ download: Download) {
            observations.observe(
                download, \.progress,
                on: .observer { wheel, progress in
                    wheel.turns += 1
                    wheel.hasRunOut = ContinuousClock.now >= wheel.limit
                    if !wheel.isStopped, !wheel.hasRunOut { download.progress = progress + 1 }
                })
        }

        func stop() { isStopped = true }
    }

    /// Waits, letting others run, until something is so.
    let download = Download()

    @Test("Rule 41: a change made on the main actor is told there at once, the present value too")
    @MainActor func aChangeOnTheMainActorIsToldAtOnce() {
        let view = View()
        let observations = ObservationController(observer: view)
        observations.observe(download, \.progress, on: .mainActor { view, progress in view.note(progress) })
        download.progress = 5
        #expect(view.values == [0, 5])
    }

    @Test("Rule 41: changes made elsewhere are told on the main actor, in order, with their values")
    func changesMadeElsewhereHopToTheMainActor() async {
        let view = View()
        let observations = ObservationController(observer: view)
        let result = observations.observe(
            download, \.progress, options: [.old, .new],
            on: .mainActor { view, download, change in
                #expect(change.oldValue == (change.newValue ?? 0) - 1)
                view.note(change.newValue ?? -1)
            })
        #expect(result == .added)
        for value in 1...1000 { download.progress = value }
        await until { await view.values.count == 1000 }
        #expect(await view.values == Array(1...1000))
        withExtendedLifetime(observations) {}
    }

    @Test("Rule 41: what arrived from elsewhere before comes before what is changed on the main actor")
    @MainActor func whatWaitsComesFirst() {
        let view = View()
        let observations = ObservationController(observer: view)
        observations.observe(download, \.progress, on: .mainActor { view, progress in view.note(progress) })
        let download = download
        // The main actor is kept busy meanwhile.
        let isDone = Flag()
        Threads.start {
            for value in 1...100 { download.progress = value }
            isDone.set()
        }
        isDone.wait()
        #expect(view.values == [0])
        download.progress = 101
        #expect(view.values == Array(0...101))
    }

    @Test("Rule 41: changes are told on a global actor")
    func changesHopToAGlobalActor() async {
        let log = Log()
        let observations = ObservationController(observer: log)
        observations.observe(
            download, \.progress, options: .new,
            on: .globalActor(Archive.self) { @Archive log, _, change in log.values.append(change.newValue ?? -1) })
        observations.observe(
            download, \.progress, tag: "values",
            on: .globalActor(Archive.self) { @Archive log, progress in log.values.append(-progress)
            })
        download.progress = 3
        await until { await log.values.count == 3 }
        #expect(await log.values.sorted() == [-3, 0, 3])
        let refused = observations.observe(download, \.progress, tag: "main", on: .globalActor(Archive.self) { @MainActor _, _ in })
        #expect(refused == .refused(.handlerOfAnotherIsolation))
    }

    @Test("Rule 41: an observer that is an actor gets itself isolated")
    func changesHopToAnActor() async {
        let station = Station()
        let observations = ObservationController(observer: station)
        observations.observe(download, \.progress, on: .observer { station, progress in station.values.append(progress) })
        observations.observe(
            download, \.progress, options: [.old, .new], tag: "changes",
            on: .observer { station, download, change in
                station.log.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
            })
        download.progress = 7
        await until { await station.values.count == 2 }
        await until { await station.log.count == 1 }
        #expect(await station.values == [0, 7])
        #expect(await station.log == ["0 7"])
    }

    @Test("Rule 41: changes are told on an actor that is not the observer")
    func changesHopToAnotherActor() async {
        let station = Station()
        let observer = Plain()
        let observations = ObservationController(observer: observer)
        observations.observe(
            download, \.progress,
            on: .actor(station) { (station: isolated Station, _: Plain, progress: Int) in
                station.values.append(progress)
            })
        download.progress = 7
        await until { await station.values.count == 2 }
        #expect(await station.values == [0, 7])
        withExtendedLifetime(observer) {}
    }

    @Test("Rule 41: a hop under way when a removal returns delivers nothing")
    func aRemovalStopsWhatIsUnderWay() async {
        let station = Station()
        let observations = SharedObservationController(observer: station)
        observations.observe(download, \.progress, on: .observer { station, progress in station.values.append(progress) })
        await station.block(download, observations)
        #expect(await station.values == [0])
    }

    @Test("Rule 41: hops do not keep the observer alive, and what arrives then is dropped and counted")
    func hopsDoNotKeepTheObserver() async {
        var station: Station? = Station()
        let weakStation = Weak(station)
        let observations = station.map { ObservationController(observer: $0) }
        if station != nil {
            observations?.observe(download, \.progress, initial: false, on: .observer { $0.values.append($1) })
        }
        station = nil
        await until { weakStation.object == nil }
        download.progress = 1
        await until { observations?.counters.dropped == 1 }
    }

    @Test("Rules 30, 41: all that waits for an observer that is gone is dropped and counted")
    @MainActor func allThatWaitsIsDropped() async {
        var view: View? = View()
        let download = download
        let observations = view.map { ObservationController(observer: $0) }
        observations?.observe(download, \.progress, options: [], on: .mainActor { view, _, change in view.note(change.newValue ?? -1) })
        OtherThread.run { for progress in 1...3 { download.progress = progress } }
        // Nothing has been delivered, because this test has held the main actor since.
        view = nil
        await until { observations?.observations.isEmpty ?? true }
        #expect(observations?.counters == ObservationCounters(dropped: 3))
    }

    @Test("Rule 41: what waits for an observation that is removed is not counted as dropped")
    @MainActor func whatWaitsForARemovedObservation() async {
        let view = View()
        let download = download
        let observations = ObservationController(observer: view)
        observations.observe(download, \.progress, options: [], on: .mainActor { view, _, change in view.note(change.newValue ?? -1) })
        OtherThread.run { for progress in 1...3 { download.progress = progress } }
        observations.invalidate()
        await Task { @MainActor in }.value
        #expect(observations.counters == ObservationCounters())
        #expect(view.values == [])
    }

    @Test("Rules 33, 41: no other thread holds an observer of the main actor, so its last release is where the program lets go of it")
    @MainActor func theLastReleaseIsTheProgramsOwn() {
        Warnings.listen()
        var view: View? = View()
        let weakView = Weak(view)
        let download = download
        let observations = view.map { ObservationController(observer: $0) }
        observations?.observe(download, \.progress, on: .mainActor { view, progress in view.note(progress) })
        observations?.observe(download, \.progress, options: .new, tag: "plain") { view, _, _ in view.note(-1) }
        let (isUnderWay, isDone) = (Flag(), Flag())
        Threads.start {
            for value in 1...1000 {
                download.progress = value
                if value == 100 { isUnderWay.set() }
            }
            isDone.set()
        }
        isUnderWay.wait()
        view = nil
        #expect(weakView.object == nil)
        isDone.wait()
        #expect(observations?.counters.delivered == 1)
    }

    @Test("Rules 34, 41: a value that was brought over may change the object when it goes")
    @MainActor func valuesThatWereBroughtOverGoUnderNoLock() {
        let view = View()
        let observations = ObservationController(observer: view)
        let basket = Basket()
        observations.observe(
            basket, \.egg, options: .new,
            on: .mainActor { view, _, change in
                if case .some(.some) = change.newValue { view.note(1) }
            })
        let isDone = Flag()
        Threads.start {
            for _ in 0..<100 { basket.egg = Basket.Egg(in: basket) }
            isDone.set()
        }
        isDone.wait()
        basket.egg = nil
        #expect(view.values.count == 100)
    }

    @Test("Rule 41: an actor whose handler makes the next change is not held by it")
    func aHandlerThatChangesTheObjectLetsOthersIn() async {
        let wheel = Wheel()
        await wheel.start(download)
        await until { await wheel.turns > 10 }
        await wheel.stop()
        #expect(await !wheel.hasRunOut)
    }

    @Test("Rule 41: calls before the change are refused, with a message")
    func priorCallsAreRefused() {
        Warnings.listen()
        let observer = Plain()
        let observations = ObservationController(observer: observer)
        let result = observations.observe(download, \.progress, options: [.prior, .new], on: .mainActor { _, _, _ in })
        #expect(result == .refused(.priorCallElsewhere))
    }

    @Test("Rule 41: 100 000 hops from 8 writers keep order and count", arguments: [true, false])
    func manyHopsKeepOrderAndCount(onMainActor: Bool) async {
        let station = Station()
        let view = View()
        let stationObservations = ObservationController(observer: station)
        let viewObservations = ObservationController(observer: view)
        // What is told is a chain: each change begins where the one before ended.
        if onMainActor {
            viewObservations.observe(
                download, \.progress, options: [.old, .new],
                on: .mainActor { view, _, change in
                    view.values.append(change.newValue ?? -1)
                })
        } else {
            stationObservations.observe(
                download, \.progress, options: [.old, .new],
                on: .observer { station, _, change in
                    station.values.append(change.newValue ?? -1)
                })
        }
        let download = download
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for step in 0..<12_500 { download.progress = writer * 100_000 + step } }
            }
        }
        await until { onMainActor ? await view.values.count == 100_000 : await station.values.count == 100_000 }
        let values = onMainActor ? await view.values : await station.values
        for writer in 0..<8 {
            let own = values.filter { $0 / 100_000 == writer }
            #expect(own == (0..<12_500).map { writer * 100_000 + $0 })
        }
        withExtendedLifetime((stationObservations, viewObservations)) {}
    }
}

extension TransferTests.Station {
    /// Changes and removes without letting a hop in between.
    func block(_ download: TransferTests.Download, _ observations: SharedObservationController<TransferTests.Station>) async {
        while values.isEmpty { await Task.yield() }
        download.progress = 1
        observations.unobserveAll()
        for _ in 0..<10 { await Task.yield() }
    }
}
