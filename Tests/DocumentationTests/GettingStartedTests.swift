import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// The examples of the article on getting started.
@Suite struct GettingStartedTests {
    /// The lines that the first example prints.
    static let printed = EventLog<String>()

    /// Takes the place of Swift's function in the first example.
    static func print(_ line: String) { printed.append(line) }

    // snippet: started
    final class WallClock: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
        @Observed var name = "Big Ben"
        var isNight: Bool { hour < 6 }
    }

    final class ClockView {
        private lazy var observations = ObservationController(observer: self)

        func show(_ clock: WallClock) {
            observations.observe(clock, \.hour) { view, hour in
                view.draw("hour \(hour)")
            }
            observations.observe(clock, \.isNight) { view, isNight in
                view.draw("night: \(isNight)")
            }
        }

        private func draw(_ text: String) { print(text) }
    }
    // end snippet

    @Test("Article on getting started: a view observes a stored and a computed property")
    func aViewObserves() {
        // snippet: started-use
        let (clock, view) = (WallClock(), ClockView())
        view.show(clock)  // prints hour 0, night: true
        clock.hour = 5  // prints hour 5, night: true
        // end snippet
        #expect(Self.printed.removeAll() == ["hour 0", "night: true", "hour 5", "night: true"])
        withExtendedLifetime(view) {}
    }

    @MainActor final class Log {
        private(set) var lines: [String] = []
        private(set) lazy var observations = ObservationController(observer: self)
        func say(_ line: String) { lines.append(line) }
        func nameDidChange(_ name: String) { say("method \(name)") }
    }

    @Test("Article on receiving: a batch is one change of each key")
    @MainActor func aBatch() {
        let (clock, log) = (WallClock(), Log())
        let (observations, lines) = (log.observations, { log.lines })
        func print(_ line: String) { log.say(line) }
        // snippet: started-batch
        observations.onChange(of: clock, \.hour) { _, old, new in
            print("\(old) to \(new)")
        }
        withBatchedChanges {
            clock.hour = 1
            clock.hour = 2
            clock.name = "Gong"
        }  // prints 0 to 2
        // end snippet
        #expect(lines() == ["0 to 2"])
        withBatchedChanges {
            clock.hour = 7
            clock.hour = 2
        }
        #expect(lines() == ["0 to 2", "2 to 2"])
        let signal = Signal<Int>()
        observations.observe(signal) { log, number in log.say("signal \(number)") }
        withBatchedChanges {
            clock.hour = 3
            signal.send(1)
            observations.observe(clock, \.name) { log, name in log.say(name) }
            log.say("end")
        }
        #expect(lines().dropFirst(2) == ["signal 1", "Gong", "end", "2 to 3"])
    }

    @Test("Article on receiving: what comes at the registration")
    @MainActor func whatComesAtTheRegistration() {
        let (clock, log) = (WallClock(), Log())
        let observations = log.observations
        observations.observeEach(clock, [\.hour, \.name], options: .initial, tag: "each") { log, _, change in
            log.say("each \(change.newValue == nil) \(change.kind)")
        }
        observations.onChange(of: clock, \.hour, tag: "pair") { log, _, _ in log.say("pair") }
        observations.observe(clock, \.hour, options: .new, tag: "change") { log, _, _ in log.say("change") }
        observations.observe(clock, \.hour, options: [.initial, .old, .new], tag: "both") { log, _, change in
            log.say("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        #expect(log.lines == ["each true setting", "each true setting", "-1 0"])
        observations.pause()
        observations.observe(clock, \.hour, tag: "paused") { log, hour in log.say("paused \(hour)") }
        observations.observe(clock, \.hour, options: [.initial, .new], tag: "paused change") { log, _, _ in log.say("never") }
        #expect(log.lines.count == 3)
        observations.resume()
        #expect(log.lines.dropFirst(3) == ["paused 0"])
    }

    @Test("Article on receiving: each form delivers what it says, and each removal ends what it says")
    @MainActor func everyForm() {
        let (clock, view) = (WallClock(), Log())
        let observations = view.observations
        // snippet: started-forms
        // The present value before `observe` returns, then each new value.
        observations.observe(clock, \.hour) { view, hour in
            view.say("hour \(hour)")
        }
        // New values only, without equal ones in a row. The first always comes.
        observations.observe(
            clock, \.isNight, initial: false, removing: .duplicates
        ) { view, isNight in
            view.say("night: \(isNight)")
        }
        // The clock and each change, with the values that the options name.
        observations.observe(
            clock, \.name, options: [.old, .new]
        ) { view, clock, change in
            view.say("\(change.oldValue ?? "") became \(change.newValue ?? "")")
        }
        // The old and the new value of each change. No call for the present value.
        observations.onChange(of: clock, \.hour, tag: "both") { view, old, new in
            view.say("\(new - old) hours later")
        }
        // Several key paths. `change.keyPath` names the one that has changed.
        observations.observeEach(
            clock, [\.hour, \.name], tag: "any"
        ) { view, clock, change in
            view.say("redraw")
        }
        // A method of the observer instead: func nameDidChange(_ name: String).
        observations.observe(
            clock, \.name, tag: "method", action: Log.nameDidChange(_:))
        // end snippet
        #expect(view.lines == ["hour 0", "method Big Ben"])
        clock.hour = 5
        clock.hour = 7
        #expect(
            view.lines.dropFirst(2).sorted()
                == ["2 hours later", "5 hours later", "hour 5", "hour 7", "night: false", "night: true", "redraw", "redraw"])
        clock.name = "Gong"
        #expect(view.lines.suffix(3) == ["Big Ben became Gong", "redraw", "method Gong"])

        #expect(observations.observations.count == 7)
        // snippet: stop
        observations.unobserve(clock, \.hour)  // without a tag
        observations.unobserve(clock, \.hour, tag: "both")  // under that tag
        observations.unobserve(clock)  // every key path of the object
        observations.unobserveAll()  // everything
        observations.invalidate()  // the same, and refuses what comes later
        // end snippet
        clock.hour = 8
        #expect(view.lines.count == 13)
        #expect(observations.observe(clock, \.hour) { view, hour in view.say("never") } == .refused(.controllerInvalidated))
    }
}
