import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// The examples of the article on isolation that hop.
@Suite struct ThreadsAndIsolationTransfersTests {
    // snippet: hop
    // Threads share it, so its constant holds an atomic value.
    final class Job: Sendable {
        let progress = ObservedValue(0)
    }

    @MainActor final class ProgressBar {
        private(set) var width = 0
        private lazy var observations = ObservationController(observer: self)

        func show(_ job: Job) {
            observations.observe(
                job.progress, \.value,
                on: .mainActor { bar, progress in bar.width = progress })
        }
    }
    // end snippet

    @Test("Article on isolation: an object that changes on any thread is observed on the main actor")
    @MainActor func aHandlerHops() async {
        let (job, bar) = (Job(), ProgressBar())
        bar.show(job)
        job.progress.value = 1
        #expect(bar.width == 1)
        Task.detached { for progress in 2...100 { job.progress.value = progress } }
        while bar.width < 100 { await Task.yield() }
    }

    // snippet: shared-observer
    // Threads share it, so what it stores is `Sendable`, too.
    final class Log: SharedObserver {
        let observationSlot = SharedObservationSlot()
        private let lines = EventLog<Int>()
        var values: [Int] { lines.events }

        func follow(_ job: Job) {
            observations.observe(
                job.progress, \.value,
                on: .anyThread { log, progress in log.lines.append(progress) })
        }
    }
    // end snippet

    // snippet: atomic-private
    final class Account: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        private let storedBalance = ObservedValue(0)
        var balance: Int { storedBalance.value }
        func deposit(_ amount: Int) { storedBalance.update { $0 += amount } }
    }
    // end snippet

    @Test("Article on isolation: an observer that threads share, and an atomic value that only its class writes")
    func sharedObserverAndPrivateProperty() async {
        let (job, log, account) = (Job(), Log(), Account())
        await Task.detached { log.follow(job) }.value
        job.progress.value = 1
        #expect(log.values == [0, 1])
        let deposits = EventLog<Int>()
        log.observations.observe(account, \.balance, on: .anyThread { _, balance in deposits.append(balance) })
        account.deposit(5)
        #expect(deposits.events == [0, 5])
    }

    @globalActor actor Archive {
        static let shared = Archive()
    }

    actor Station {
        private(set) var values: [Int] = []
        func note(_ progress: Int) { values.append(progress) }
    }

    final class Meter: Sendable {
        let log = EventLog<String>()
        func note(_ place: String, _ progress: Int) { log.append("\(place) \(progress)") }
    }

    @Test("Article on isolation: a handler is called on a global actor, on an actor, on the observing actor and on any thread")
    func aHandlerRunsWhereItSays() async {
        let (job, meter, station) = (Job(), Meter(), Station())
        let observations = ObservationController(observer: meter)
        let stationObservations = ObservationController(observer: station)
        // snippet: hop-forms
        // On a global actor, which the closure names again.
        observations.observe(
            job.progress, \.value, tag: "archive",
            on: .globalActor(Archive.self) { @Archive meter, progress in
                meter.note("archive", progress)
            })
        // On an actor. The closure gets the actor first, isolated.
        observations.observe(
            job.progress, \.value, tag: "station",
            on: .actor(station) { station, meter, progress in
                station.note(progress)
            })
        // On the thread that makes the change.
        observations.observe(
            job.progress, \.value, tag: "any",
            on: .anyThread { meter, progress in meter.note("any", progress) })
        // On the observer, if that is an actor. The closure gets it isolated.
        stationObservations.observe(
            job.progress, \.value,
            on: .observer { station, progress in station.note(-progress) })
        // end snippet
        #expect(meter.log.events.filter { $0.hasPrefix("any") } == ["any 0"])
        job.progress.value = 1
        #expect(meter.log.events.filter { $0.hasPrefix("any") } == ["any 0", "any 1"])
        while await station.values.count < 4 { await Task.yield() }
        while meter.log.events.count < 4 { await Task.yield() }
        #expect(await station.values.sorted() == [-1, 0, 0, 1])
        #expect(meter.log.events.filter { $0.hasPrefix("archive") } == ["archive 0", "archive 1"])
        withExtendedLifetime((observations, stationObservations)) {}
    }

    @MainActor final class Bell {
        lazy var observations = ObservationController(observer: self)
    }

    @Test("Article on isolation: an event in the wrong isolation is reported as sent")
    func anEventInTheWrongIsolation() async {
        await #expect(processExitsWith: .success) {
            let messages = EventLog<String>()
            ObservationDiagnostics.warningHandler = { messages.append($0.message) }
            let signal = Signal<Int>()
            let bell = await MainActor.run {
                let bell = Bell()
                bell.observations.observe(signal) { _, _ in }
                return bell
            }
            await Task.detached { signal.send(1) }.value
            let texts = messages.events
            #expect(texts.count == 1 && texts[0].hasPrefix("`Signal<Int>.events` was sent outside the isolation"), "\(texts)")
            withExtendedLifetime(bell) {}
        }
    }
}
