import Foundation
// snippet: diagnostics-imports
import SafeKVO
import SafeKVODiagnostics
// end snippet
import SafeKVOTesting
import Testing

/// What the article about finding out what happens says.
@Suite struct TroubleshootingTests {
    final class Clock: KeyValueObject {
        @Observed var hour = 0
        var plain = 0
    }

    final class ClockView {
        lazy var observations = ObservationController(observer: self)
        lazy var looseObservations = ObservationController(observer: self, retainsObserved: false)
        var hours: [Int] = []

        func show(_ clock: Clock) {
            observations.observe(clock, \.hour) { view, hour in view.hours.append(hour) }
        }
    }

    /// An album that observes its cover, and a cover that observes its album.
    final class Album: KeyValueObject {
        @Observed var title = "Suites"
        let cover = Cover()
        private lazy var observations = ObservationController(observer: self)

        func follow() {
            observations.observe(cover, \.isLoaded) { _, _ in }
            cover.follow(self)
        }
    }

    final class Cover: KeyValueObject {
        @Observed var isLoaded = false
        private lazy var observations = ObservationController(observer: self)

        func follow(_ album: Album) {
            observations.observe(album, \.title) { _, _ in }
        }
    }

    @Test func bothSidesCanBeAsked() {
        let (clock, view) = (Clock(), ClockView())
        view.show(clock)
        // snippet: diagnostics-who
        let ofTheView = view.observations.observations
        let ofTheClock = ObservationDiagnostics.observations(of: clock)
        print(ofTheClock[0])
        // prints ClockView observes Clock.hour, options [.initial, .new],
        // closure, retaining, 1 calls (App/ClockView.swift:12)
        // end snippet
        #expect(ofTheView.map(\.description) == ofTheClock.map(\.description))
        #expect(
            ofTheClock[0].description.hasPrefix(
                "ClockView observes Clock.hour, options [.initial, .new], closure, retaining, 1 calls (DocumentationTests/"))
    }

    @Test func aTraceTellsWhatHappensWhen() async {
        await #expect(processExitsWith: .success) {
            let clock = Clock()
            let file = NSTemporaryDirectory() + "SafeKVO-\(UUID().uuidString).json"
            defer { try? FileManager.default.removeItem(atPath: file) }
            // snippet: diagnostics-trace
            let trace = ObservationTrace()
            trace.start()
            let view = ClockView()
            view.show(clock)
            clock.hour = 7
            trace.stop()
            try trace.chromeTrace.write(toFile: file, atomically: true, encoding: .utf8)
            // end snippet
            #expect(trace.entries.map { "\($0.event)" } == ["added", "delivered", "delivered"])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == trace.chromeTrace)
            #expect(view.hours == [0, 7])
        }
    }

    @Test func theLogTellsWhatHappens() async {
        await #expect(processExitsWith: .success) {
            let (clock, view) = (Clock(), ClockView())
            let log = EventLog<String>()
            let print: @Sendable (ObservationLogEntry) -> Void = { log.append("\($0.event)") }
            // snippet: diagnostics-log
            ObservationDiagnostics.logHandler = { entry in print(entry) }
            view.show(clock)  // prints added: ClockView observes …, then delivered: …
            view.show(clock)  // prints ignored, because the controller already …
            clock.hour = 7  // prints delivered: …
            // end snippet
            try log.expect(["added", "delivered", "ignored", "delivered"])
        }
    }

    @Test func aGraphShowsRetainCycles() async {
        await #expect(processExitsWith: .success) {
            // snippet: diagnostics-graph
            ObservationDiagnostics.isRecording = true  // at the start of the program
            let album = Album()
            album.follow()
            let graph = ObservationDiagnostics.snapshot()
            print(graph)  // prints the controllers, then the retain cycles
            print(graph.mermaid)  // prints the chart below
            // end snippet
            #expect(
                graph.mermaid == """
                    flowchart LR
                        n0["Album"]
                        n1["Cover"]
                        n0 ==>|"isLoaded, 1 calls"| n1
                        n1 ==>|"title, 1 calls"| n0
                        linkStyle 0,1 stroke:red
                    """)
            #expect(graph.retainCycles.count == 1)
        }
    }

    @Test func warningsCanBeHeard() async {
        await #expect(processExitsWith: .success) {
            let (clock, view) = (Clock(), ClockView())
            let log = EventLog<ObservationWarning.Kind>()
            let report: @Sendable (ObservationWarning) -> Void = { log.append($0.kind) }
            // snippet: diagnostics-warnings
            ObservationDiagnostics.warningHandler = { warning in
                report(warning)  // a kind, a message and a source line
            }
            // `plain` is not @Observed: reports a warning of the kind nothingObservable
            view.observations.observe(clock, \.plain) { _, _ in }
            // end snippet
            try log.expect([.nothingObservable])
        }
    }

    @Test("A controller that is let go of ends its observations: it must be kept, in the observer")
    func aControllerMustBeKept() {
        let (clock, view) = (Clock(), ClockView())
        func observe() {
            ObservationController(observer: view).observe(clock, \.hour) { view, hour in view.hours.append(hour) }
        }
        observe()
        #expect(ObservationDiagnostics.observations(of: clock).isEmpty)
        clock.hour = 1
        #expect(view.hours == [0])
    }

    @Test("A handler that captures its observer keeps it, and no cycle is marked: nobody knows what a closure keeps")
    func aCaptureIsNoMarkedCycle() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.isRecording = true
            let tracker = LifetimeTracker()
            let clock = Clock()
            func observe() {
                let view = tracker.track(ClockView())
                view.observations.observe(clock, \.hour) { _, hour in view.hours.append(hour) }
            }
            observe()
            #expect(tracker.survivors.count == 1)
            #expect(ObservationDiagnostics.snapshot().retainCycles.isEmpty)
            #expect(ObservationDiagnostics.observations(of: clock).count == 1)
        }
    }

    @Test("A child that observes its owner keeps it, and no cycle is marked: nobody knows what a property keeps")
    func anOwnerIsNoMarkedCycle() async {
        await #expect(processExitsWith: .success) {
            final class Owner: KeyValueObject {
                @Observed var number = 0
                var view: ClockView?
            }
            ObservationDiagnostics.isRecording = true
            let tracker = LifetimeTracker()
            func observe(retaining: Bool) {
                let owner = tracker.track(Owner())
                let view = ClockView()
                owner.view = view
                (retaining ? view.observations : view.looseObservations).observe(owner, \.number) { _, _ in }
            }
            observe(retaining: false)
            #expect(tracker.survivors.isEmpty)
            observe(retaining: true)
            #expect(tracker.survivors.count == 1)
            #expect(ObservationDiagnostics.snapshot().retainCycles.isEmpty)
            #expect(ObservationDiagnostics.snapshot().controllers.first?.observations.map(\.retainsSubject) == [true])
        }
    }

    @Test("Two tags are two observations, and so are two controllers: the handler is called for each")
    func twoTagsAreTwoObservations() {
        let (clock, view) = (Clock(), ClockView())
        view.observations.observe(clock, \.hour, tag: "a") { view, hour in view.hours.append(hour) }
        view.observations.observe(clock, \.hour, tag: "b") { view, hour in view.hours.append(hour) }
        view.looseObservations.observe(clock, \.hour) { view, hour in view.hours.append(hour) }
        #expect(view.hours == [0, 0, 0])
        #expect(ObservationDiagnostics.observations(of: clock).map(\.deliveries) == [1, 1, 1])
    }

    @Test("Equal values are told unless duplicates are removed; a batch tells once")
    func equalValuesAreTold() {
        let (clock, view) = (Clock(), ClockView())
        view.show(clock)
        view.observations.observe(clock, \.hour, removing: .duplicates, tag: "b") { _, _ in }
        clock.hour = 0
        #expect(view.observations.observations.map(\.deliveries) == [2, 1])
        withBatchedChanges { for hour in 1...5 { clock.hour = hour } }
        #expect(view.observations.observations.map(\.deliveries) == [3, 2])
    }
}
