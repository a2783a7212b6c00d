import Dispatch
import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rule 40: what is changed outside the isolation of an observation comes home.
@Suite @MainActor struct ComingHomeTests {
    final class Download: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0)
        let isGone: Flag?

        init(isGone: Flag? = nil) { self.isGone = isGone }

        deinit { isGone?.set() }
    }

    /// The observed object of a main-actor view, which reads what other threads change.
    final class Player: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var name = "song"
        @Observed var current: Download
        let isGone: Flag?

        init(_ current: Download, isGone: Flag? = nil) {
            self.current = current
            self.isGone = isGone
        }

        deinit { isGone?.set() }

        var title: String {
            MainActor.assertIsolated()
            return "\(name) \(current.progress.value)"
        }
    }

    final class Gauge: KeyValueObservable, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) two threads use `plain` in turn.
        let keyValueRegistrar = KeyValueRegistrar()
        @AtomicObserved var level = 0
        @Observed var plain = 0
        let isGone: Flag?

        init(isGone: Flag? = nil) { self.isGone = isGone }

        deinit { isGone?.set() }
    }

    @MainActor final class View {
        let log = EventLog<String>()
        let isGone: Flag?
        private(set) lazy var observations = ObservationController(observer: self)

        init(isGone: Flag? = nil) { self.isGone = isGone }

        deinit { isGone?.set() }

        func redraw() { log.append("redraw") }
        func show(_ value: Int) { log.append("show \(value)") }
    }

    final class Label: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var text = ""
    }

    private let view = View()

    private func jobsOfTheMainActor() async { for _ in 0..<10 { await Task.yield() } }

    @Test("Rule 40: each form that takes values comes home, for a nested key path with a plain hop and for a computed one")
    func everyValueForm() async throws {
        let (download, other) = (Download(), Download())
        let (player, label) = (Player(download), Label())
        let observations = view.observations
        observations.observe(player, \.current.progress.value, initial: false) { $0.log.append("value \($1)") }
        observations.observe(player, \.title, initial: false) { $0.log.append($1) }
        observations.observe(player, \.current.progress.value, initial: false, tag: "a", action: View.redraw)
        observations.observe(player, \.current.progress.value, initial: false, tag: "b", action: View.show(_:))
        observations.onChange(of: player, \.current.progress.value, tag: "c") { $0.log.append("\($1) became \($2)") }
        observations.observeOnce(player, \.current.progress.value, where: { $0 > 1 }, tag: "d") { $0.log.append("once \($1)") }
        observations.observe(player, \.current.progress.value, initial: false, until: { $0 > 1 }, tag: "e") { $0.log.append("until \($1)") }
        let binding = bind(player, \.title, to: label, \.text)
        let token = player.observation(of: \.current.progress.value, initial: false) { [log = view.log] _, value in
            log.append("token \(value)")
        }
        OtherThread.run {
            download.progress.value = 1
            download.progress.value = 2
        }
        try view.log.expect([])
        await jobsOfTheMainActor()
        #expect(Set(view.log.removeAll()) == ["value 2", "song 2", "redraw", "show 2", "0 became 2", "once 2", "until 2", "token 2"])
        #expect(label.text == "song 2")
        player.current = other
        #expect(Set(view.log.removeAll()) == ["value 0", "song 0", "redraw", "show 0", "2 became 0", "token 0"])
        OtherThread.run {
            download.progress.value = 3
            other.progress.value = 4
        }
        await jobsOfTheMainActor()
        #expect(Set(view.log.removeAll()) == ["value 4", "song 4", "redraw", "show 4", "0 became 4", "token 4"])
        withExtendedLifetime((binding, token)) {}
    }

    @Test("Rule 40: a change at home tells the value of changes elsewhere, too, and the job finds nothing to do")
    func aChangeAtHomeComesFirst() async throws {
        let download = Download()
        let player = Player(download)
        view.observations.observe(player, \.title, initial: false) { $0.log.append($1) }
        OtherThread.run { download.progress.value = 1 }
        player.name = "other"
        try view.log.expect(["other 1"])
        await jobsOfTheMainActor()
        try view.log.expect([])
    }

    @Test("Rule 40: an observer of the whole object is called at home for an atomic property, and for a plain one it is counted")
    func theWholeObject() async throws {
        let gauge = Gauge()
        view.observations.observe(gauge, \.self, initial: false) { $0.log.append("whole \($1.level)") }
        OtherThread.run {
            gauge.level = 1
            withBatchedChanges {
                gauge.level = 2
                gauge.level = 3
            }
        }
        try view.log.expect([])
        await jobsOfTheMainActor()
        try view.log.expect(["whole 3"])
        #expect(view.observations.counters.wrongIsolation == 0)
        gauge.level = 4
        try view.log.expect(["whole 4"])
        OtherThread.run { gauge.plain = 5 }
        await jobsOfTheMainActor()
        try view.log.expect([])
        #expect(view.observations.counters.wrongIsolation == 1)
    }

    @Test("Rules 20c, 40: so is it for a manual notification elsewhere, of a property or of the whole object")
    func theWholeObjectIsAnnounced() async throws {
        let gauge = Gauge()
        view.observations.observe(gauge, \.self, initial: false) { $0.log.append("whole \($1.level)") }
        OtherThread.run { gauge.withChange(of: \.level) { gauge.level = 1 } }
        await jobsOfTheMainActor()
        try view.log.expect(["whole 1"])
        OtherThread.run { gauge.withChange(of: \.self) { gauge.level = 2 } }
        await jobsOfTheMainActor()
        try view.log.expect(["whole 2"])
        #expect(view.observations.counters.wrongIsolation == 0)
    }

    @Test("Rules 20a, 40: a registration leaves the old value to those whom a change elsewhere is on its way to")
    func aRegistrationMeanwhile() async throws {
        let gauge = Gauge()
        view.observations.observe(
            gauge, \.twice, options: [.old, .new],
            on: .mainActor { view, _, change in
                view.log.append("\(change.oldValue ?? -1) became \(change.newValue ?? -1)")
            })
        OtherThread.run { gauge.level = 5 }
        view.observations.observe(gauge, \.twice, tag: "another") { _, _ in }
        await jobsOfTheMainActor()
        try view.log.expect(["0 became 10"])
    }

    @Test("Rule 40: the reports of what does not come home name the cure")
    func reportsNameTheCure() {
        Warnings.listen()
        let gauge = Gauge()
        let (observations, first) = (view.observations, UInt(#line) + 1)
        observations.observe(gauge, \.plain) { _, _ in }
        observations.observe(gauge, \.plain, options: .new, tag: "changes") { _, _, _ in }
        observations.observe(gauge, \.level, options: .new) { _, _, _ in }
        observations.observe(gauge, \.self, options: .new) { _, _, _ in }
        OtherThread.run {
            gauge.plain = 1
            gauge.level = 1
        }
        let messages = Warnings.messages(first...first + 3)
        #expect(messages.count == 4)
        #expect(messages.count { $0.contains("declare it `@AtomicObserved`, so that its value comes to the handler") } == 1)
        #expect(messages.count { $0.contains("declare it `@AtomicObserved` and pass `on:`") } == 2)
        #expect(messages.count { $0.contains("Leave out `options:` to get values, or pass `on:`") } == 1)
        #expect(observations.counters.wrongIsolation == 5)
    }

    // MARK: Lifetimes

    @Test("Rule 40: the written object is kept until its value has come home")
    func theWrittenObjectIsKept() async throws {
        let isGone = Flag()
        let observations = ObservationController(observer: view, retainsObserved: false)
        var gauge: Gauge? = Gauge(isGone: isGone)
        observations.observe(gauge, \.level, initial: false) { $0.log.append("\($1)") }
        do {
            let written = gauge
            OtherThread.run { written?.level = 7 }
        }
        gauge = nil
        #expect(!isGone.isSet)
        await jobsOfTheMainActor()
        try view.log.expect(["7"])
        #expect(isGone.isSet)
    }

    @Test("Rule 40: a change of a dependency keeps neither the root of the path nor the observer")
    func nothingElseIsKept() async throws {
        let (rootIsGone, viewIsGone) = (Flag(), Flag())
        let download = Download()
        var view: View? = View(isGone: viewIsGone)
        let other = self.view
        let (observations, others) = try (
            ObservationController(observer: #require(view), retainsObserved: false),
            ObservationController(observer: other, retainsObserved: false)
        )
        var player: Player? = Player(download, isGone: rootIsGone)
        observations.observe(player, \.title, initial: false) { $0.log.append($1) }
        others.observe(player, \.title, initial: false) { $0.log.append($1) }
        OtherThread.run { download.progress.value = 1 }
        view = nil
        #expect(viewIsGone.isSet)
        player = nil
        #expect(rootIsGone.isSet)
        await jobsOfTheMainActor()
        try other.log.expect([])
    }

    @Test("Rules 39, 40: what is on its way when an observation is removed or its controller invalidated is not delivered")
    func whatIsOnItsWay() async throws {
        let gauge = Gauge()
        let controllers = (0..<2).map { _ in ObservationController(observer: view) }
        for controller in controllers { controller.observe(gauge, \.level, initial: false) { $0.log.append("\($1)") } }
        OtherThread.run { gauge.level = 1 }
        controllers[0].unobserve(gauge, \.level)
        controllers[1].invalidate()
        await jobsOfTheMainActor()
        try view.log.expect([])
    }
}

/// Rule 40: at most one job of an observation is on its way home.
@Suite struct JobsOnTheirWayHomeTests {
    /// An executor that counts its jobs.
    private final class Executor: SerialExecutor {
        let jobs = Atomic<Int>(0)
        let queue = DispatchQueue(label: "home")

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.wrappingAdd(1, ordering: .relaxed)
            let job = UnownedJob(job)
            // SAFETY: the closure retains the executor while its job runs.
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private actor Home {
        let executor = Executor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        let values = EventLog<Int>()
        private(set) lazy var observations = ObservationController(observer: self)
        private let isGone: Flag?

        init(isGone: Flag? = nil) { self.isGone = isGone }

        deinit { isGone?.set() }

        func observe(_ gauge: ComingHomeTests.Gauge) {
            observations.observe(gauge, \.level, initial: false) { $0.values.append($1) }
            observations.observe(gauge, \.twice, initial: false) { $0.values.append($1) }
            observations.observe(gauge, \.self, initial: false) { $0.values.append(-$1.level) }
        }

        /// Lets another thread change the value while this actor is busy.
        func change(_ gauge: ComingHomeTests.Gauge) { OtherThread.run { for value in 1...1000 { gauge.level = value } } }

        func changeInTurn(_ gauge: ComingHomeTests.Gauge) {
            for value in 1...100 {
                OtherThread.run { gauge.level = 2 * value - 1 }
                gauge.level = 2 * value
            }
        }

        func rest() {}
    }

    @Test("Rule 40: a thousand changes elsewhere of a property, of what a computed one reads, and of the whole object make one job each")
    func oneJobEach() async {
        let (home, gauge) = (Home(), ComingHomeTests.Gauge())
        await home.observe(gauge)
        let before = home.executor.jobs.load(ordering: .relaxed)
        await home.change(gauge)
        await until { home.values.events.count == 3 }
        #expect(home.values.events.sorted() == [-1000, 1000, 2000])
        // One job is that of `change(_:)`.
        #expect(home.executor.jobs.load(ordering: .relaxed) == before + 1 + 3)
    }

    @Test("Rule 40: a change at home, which tells the value, lets no second job be sent while the first is on its way")
    func homeAndElsewhereInTurn() async {
        let (home, gauge) = (Home(), ComingHomeTests.Gauge())
        await home.observe(gauge)
        let before = home.executor.jobs.load(ordering: .relaxed)
        await home.changeInTurn(gauge)
        #expect(home.values.events.last == -200)
        // What was sent has come when as many jobs as were sent, in order, have run.
        for _ in 0..<20 { await home.rest() }
        #expect(home.executor.jobs.load(ordering: .relaxed) <= before + 1 + 20 + 3)
    }

    @Test("Rule 40: a job on its way does not keep the observing actor") func theActorIsNotKept() async {
        let (isGone, gauge) = (Flag(), ComingHomeTests.Gauge())
        var home: Home? = Home(isGone: isGone)
        let queue = home?.executor.queue
        await home?.observe(gauge)
        queue?.suspend()
        gauge.level = 1
        home = nil
        await until { isGone.isSet }
        queue?.resume()
    }
}

extension ComingHomeTests.Gauge { var twice: Int { level * 2 } }
