import SafeKVO
import SafeKVOTesting
import Testing

/// Each way to say who is called.
@Suite struct ControllerFormsTests {
    let thermostat = Thermostat()
    let wall = Wall()

    @Test("The value form tells the present value, then each new one")
    func theValueFormTellsThePresentValueAndEachNewOne() throws {
        let result = wall.observations.observe(thermostat, \.degrees) { wall, degrees in wall.log.append("\(degrees)") }
        #expect(result == .added)
        try wall.log.expect(["0"])
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect(["1", "2"])
    }

    @Test("The value form can leave out equal values")
    func theValueFormCanLeaveOutEqualValues() throws {
        wall.observations.observe(thermostat, \.degrees, removing: .duplicates) { wall, degrees in wall.log.append("\(degrees)") }
        thermostat.degrees = 0
        thermostat.degrees = 1
        thermostat.degrees = 1
        thermostat.degrees = 0
        try wall.log.expect(["0", "1", "0"])
        #expect(wall.observations.counters.delivered == 3)
    }

    @Test("Rules 3 to 5: the change form tells what the options ask for", arguments: OptionsCase.all)
    func theChangeFormTellsWhatTheOptionsAskFor(options: OptionsCase) throws {
        wall.observations.observe(thermostat, \.degrees, options: options.options) { wall, thermostat, change in
            wall.log.append("\(thermostat.room): \(describe(change))")
        }
        try wall.log.expect(options.initial.map { "hall: " + $0 })
        thermostat.degrees = 1
        try wall.log.expect(options.change.map { "hall: " + $0 })
    }

    @Test(
        "Rule 1a: an action without options is of the value form: for the present value, then for each new one", arguments: [true, false])
    func anActionWithoutOptionsIsOfTheValueForm(initial: Bool) throws {
        wall.observations.observe(thermostat, \.degrees, initial: initial, tag: "0", action: Wall.wasCalled)
        wall.observations.observe(thermostat, \.degrees, initial: initial, tag: "1", action: Wall.degreesAre(_:))
        try wall.log.expect(initial ? ["called", "degrees 0"] : [])
        thermostat.degrees = 1
        try wall.log.expect(["called", "degrees 1"])
    }

    @Test("An action with one argument is given the change", arguments: OptionsCase.all)
    func anActionWithOneArgumentIsGivenTheChange(options: OptionsCase) throws {
        wall.observations.observe(thermostat, \.degrees, options: options.options, action: Wall.didChange(_:))
        thermostat.degrees = 1
        try wall.log.expect(options.calls())
    }

    @Test("An action with two arguments is given the change and the object", arguments: OptionsCase.all)
    func anActionWithTwoArgumentsIsGivenTheChangeAndTheObject(options: OptionsCase) throws {
        wall.observations.observe(thermostat, \.degrees, options: options.options, action: Wall.didChange(_:of:))
        thermostat.degrees = 1
        try wall.log.expect(options.calls().map { $0 + " of hall" })
    }

    @Test("The context form calls the observer's one method with the context", arguments: OptionsCase.all)
    func theContextFormCallsTheObserver(options: OptionsCase) throws {
        wall.observations.observe(thermostat, \.degrees, options: options.options, context: "thermostat")
        thermostat.degrees = 1
        try wall.log.expect(options.calls("thermostat: degrees ").map { $0 + " of hall" })
    }

    @Test("Every form leaves out equal values on request")
    func everyFormLeavesOutEqualValues() throws {
        let observations = wall.observations
        observations.observe(thermostat, \.degrees, options: .new, removing: .duplicates, tag: "closure") { wall, _, change in
            wall.log.append("closure \(describe(change))")
        }
        observations.observe(thermostat, \.degrees, removing: .duplicates, tag: "action 0", action: Wall.wasCalled)
        try wall.log.expect(["called"])
        observations.observe(thermostat, \.degrees, options: .new, removing: .duplicates, tag: "action 1", action: Wall.didChange(_:))
        observations.observe(thermostat, \.degrees, options: .new, removing: .duplicates, tag: "action 2", action: Wall.didChange(_:of:))
        observations.observe(thermostat, \.degrees, options: .new, removing: .duplicates, tag: "context", context: "context")
        thermostat.degrees = 0
        try wall.log.expect([])
        thermostat.degrees = 1
        try wall.log.expect([
            "closure change new 1", "called", "change new 1", "change new 1 of hall", "context: degrees change new 1 of hall",
        ])
    }

    @Test("Every form tells onTermination the reason, and ignores nil")
    func everyFormTellsItsEnd() throws {
        let (observations, log) = (wall.observations, wall.log)
        func end(_ name: String) -> @Sendable (ObservationEndReason) -> Void {
            { log.append("\(name) \($0)") }
        }
        for object in [nil, thermostat] {
            let expected: ObservationResult = object == nil ? .refused(.noObject) : .added
            let results = [
                observations.observe(object, \.degrees, tag: "value", handler: { (_, _: Int) in }, onTermination: end("value")),
                observations.observe(
                    object, \.degrees, options: .new, tag: "change", handler: { _, _, _ in }, onTermination: end("change")),
                observations.observe(
                    object, \.degrees, initial: false, tag: "action 0", action: Wall.wasCalled, onTermination: end("action 0")),
                observations.observe(
                    object, \.degrees, options: .new, tag: "action 1", action: Wall.didChange(_:), onTermination: end("action 1")),
                observations.observe(
                    object, \.degrees, options: .new, tag: "action 2", action: Wall.didChange(_:of:), onTermination: end("action 2")),
                observations.observe(object, \.degrees, options: .new, tag: "context", context: "", onTermination: end("context")),
            ]
            #expect(results.allSatisfy { $0 == expected })
        }
        try log.expect([])
        #expect(observations.unobserve(thermostat) == 6)
        #expect(
            Set(log.events) == [
                "value removed", "change removed", "action 0 removed", "action 1 removed", "action 2 removed", "context removed",
            ])
        #expect(log.events.count == 6)
    }
}
