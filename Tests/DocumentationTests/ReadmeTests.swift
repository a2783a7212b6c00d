import SafeKVO
import SafeKVOTesting
import Testing

/// README's first example, and each form of observing and of removing.
@Suite struct ReadmeTests {
    final class WallClock: KeyValueObject {
        @Observed var hour = 0
        @Observed var name: String?
        @Observed var city: City?
    }

    final class City: KeyValueObject {
        @Observed var offset = 1
    }

    final class ClockView: KeyValueObserver {
        enum Context { case clock }
        var heard: [String] = []
        lazy var observations = ObservationController(observer: self)

        func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) {
            heard.append("context \(context): \(change.newValue ?? "nothing")")
        }

        func hourDidChange(_ change: KeyValueChange<Int>) { heard.append("method: \(change.newValue ?? -1)") }
        func turn(to hour: Int) { heard.append("turn to \(hour)") }
        func move(from old: Int?, to new: Int?) { heard.append("move from \(old ?? -1) to \(new ?? -1)") }
        func refresh(_ keyPath: AnyKeyPath?) { heard.append("refresh \(keyPath == \WallClock.hour ? "hour" : "name")") }
        func say(_ text: String) { heard.append(text) }
    }

    @Test("README, example: it prints what is written beside it")
    func theExampleWorks() throws {
        ReadmeUse.run()
        try ReadmeUse.output.expect(["0 o'clock", "night", "7 o'clock", "day"])
    }

    @Test("Each form of observing hears the change, in the order of registration")
    func everyFormOfObservingWorks() {
        let clock = WallClock()
        let view = ClockView()
        let observations = view.observations
        // The value: the present one before `observe` returns, then each new one. Any key path: computed, nested, optional.
        observations.observe(clock, \.hour) { view, hour in view.turn(to: hour) }
        observations.observe(clock, \.city?.offset) { view, offset in view.say("offset \(offset ?? 0)") }
        // The change, with what the options ask for.
        observations.observe(clock, \.hour, options: [.old, .new], tag: "move") { view, clock, change in
            view.move(from: change.oldValue, to: change.newValue)
        }
        // The value before and the one after, neither of them an optional. `initial: false` leaves the present value out of the value form.
        observations.onChange(of: clock, \.hour, tag: "pair") { view, old, new in view.say("\(new - old) hours") }
        observations.observe(clock, \.hour, initial: false, tag: "new") { view, hour in view.say("now \(hour)") }
        // Several key paths, of any types; each call names its own.
        observations.observeEach(clock, [\.hour, \.name], tag: "all") { view, clock, change in view.refresh(change.keyPath) }
        // A method of the observer: with options it takes the change, without them nothing or the value; or its `KeyValueObserver` method.
        observations.observe(clock, \.hour, options: .new, tag: "method", action: ClockView.hourDidChange(_:))
        observations.observe(clock, \.hour, options: .new, tag: "context", context: .clock)
        // Only when the value differs; and a word at the end, for whatever reason it comes.
        observations.observe(clock, \.name, removing: .duplicates) { view, name in
            view.say("name \(name ?? "none")")
        } onTermination: { reason in
            print("ended: \(reason)")  // removed, replaced, observerDeinitialized, objectDeinitialized or controllerInvalidated
        }
        // Again: nothing happens and the result says so. `tag` keeps both, `ifAlreadyObserved: .replace` keeps the new one.
        let result = observations.observe(clock, \.hour) { view, hour in view.say("never") }  // .alreadyObserved
        #expect(result == .alreadyObserved)
        #expect(view.heard == ["turn to 0", "offset 0", "name none"])

        view.heard = []
        clock.hour = 7
        #expect(view.heard == ["turn to 7", "move from 0 to 7", "7 hours", "now 7", "refresh hour", "method: 7", "context clock: 7"])

        view.heard = []
        clock.name = "Big Ben"
        clock.name = "Big Ben"
        #expect(view.heard == ["refresh name", "name Big Ben", "refresh name"])

        view.heard = []
        clock.city = City()
        clock.city?.offset = 2
        #expect(view.heard == ["offset 1", "offset 2"])

        observations.unobserve(clock, \.hour)  // 1: how many there were; those under tags stay
        observations.unobserve(clock)  // all of that object
        observations.unobserveAll()  // all
        observations.invalidate()  // all, for good: what is added later is refused
        view.heard = []
        clock.hour = 8
        #expect(view.heard == [])
        #expect(observations.observe(clock, \.hour) { view, hour in view.turn(to: hour) } == .refused(.controllerInvalidated))
    }

    @Test("Each form of removal says how many observations it ended")
    func everyFormOfRemovalCounts() {
        let clock = WallClock()
        let view = ClockView()
        let observations = view.observations
        observations.observeEach(clock, [\.hour, \.name, \.city]) { _, _, _ in }
        observations.observeEach(clock, [\.hour, \.name], tag: "all") { _, _, _ in }
        observations.observe(City(), \.offset) { _, _ in }
        #expect(observations.unobserve(clock, \.hour) == 1)
        #expect(observations.unobserve(clock) == 4)
        #expect(observations.unobserveAll() == 1)
        #expect(observations.invalidate() == 0)
    }
}
