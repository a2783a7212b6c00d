import SafeKVO
import SafeKVOTesting
import Testing

/// Observing several key paths of one object with one call.
@Suite struct ControllerKeyPathsTests {
    let thermostat = Thermostat()
    let wall = Wall()
    let both: [PartialKeyPath<Thermostat>] = [\.degrees, \.room]

    /// What is heard of `degrees` becoming 1 and then `room` becoming `"attic"`.
    private func expectedCalls(_ options: OptionsCase) -> [String] {
        let room = { (call: String) in
            call.replacing("new 0", with: "new hall").replacing("new 1", with: "new attic").replacing("old 0", with: "old hall")
        }
        return options.initial.map { "degrees " + $0 } + options.initial.map { "room " + room($0) }
            + options.change.map { "degrees " + $0 } + options.change.map { "room " + room($0) }
    }

    private func change() {
        thermostat.degrees = 1
        thermostat.room = "attic"
    }

    @Test("Each key path calls the closure with a change that names it", arguments: OptionsCase.all)
    func eachKeyPathCallsTheClosure(options: OptionsCase) throws {
        let results = wall.observations.observeEach(thermostat, both, options: options.options) { wall, thermostat, change in
            wall.anythingDidChange(change)
        }
        #expect(results == [.added, .added])
        change()
        try wall.log.expect(expectedCalls(options))
    }

    @Test("Each key path calls an action without arguments", arguments: OptionsCase.all)
    func eachKeyPathCallsAnActionWithoutArguments(options: OptionsCase) throws {
        wall.observations.observeEach(thermostat, both, options: options.options, action: Wall.somethingChanged)
        change()
        try wall.log.expect(expectedCalls(options).map { _ in "called" })
    }

    @Test("Each key path calls the observer with the context")
    func eachKeyPathCallsWithTheContext() throws {
        wall.observations.observeEach(thermostat, both, options: [.new, .old, .prior], context: "both")
        change()
        try wall.log.expect([
            "both: degrees prior old 0 of hall", "both: degrees change new 1 old 0 of hall", "both: room prior old hall of hall",
            "both: room change new attic old hall of attic",
        ])
    }

    @Test("A key path that is observed already is skipped alone")
    func aKeyPathThatIsObservedIsSkippedAlone() throws {
        wall.observations.observe(thermostat, \.degrees) { wall, degrees in wall.log.append("first \(degrees)") }
        let results = wall.observations.observeEach(thermostat, both, options: [.initial, .new]) { wall, _, change in
            wall.anythingDidChange(change)
        }
        #expect(results == [.alreadyObserved, .added])
        change()
        try wall.log.expect(["first 0", "room initial new hall", "first 1", "room change new attic"])
        #expect(wall.observations.counters.ignoredAdds == 1)
    }

    @Test("A key path that is named twice is observed once")
    func aKeyPathThatIsNamedTwiceIsObservedOnce() throws {
        let results = wall.observations.observeEach(thermostat, [\.degrees, \.degrees], options: [.initial]) { wall, _, change in
            wall.anythingDidChange(change)
        }
        #expect(results == [.added, .alreadyObserved])
        thermostat.degrees = 1
        try wall.log.expect(["degrees initial", "degrees change"])
    }

    @Test("The key paths are observations of their own, removed one by one or together")
    func theKeyPathsAreRemovedOneByOneOrTogether() throws {
        let (observations, log) = (wall.observations, wall.log)
        observations.observeEach(thermostat, both, handler: { wall, _, change in wall.anythingDidChange(change) }) {
            log.append("ended: \($0)")
        }
        #expect(observations.unobserve(thermostat, \.degrees) == 1)
        change()
        try log.expect(["ended: removed", "room change new attic"])
        #expect(observations.unobserveEach(thermostat, both) == 1)
        try log.expect(["ended: removed"])
        observations.observeEach(thermostat, both, tag: "x", action: Wall.somethingChanged)
        #expect(observations.unobserveEach(thermostat, both) == 0)
        #expect(observations.unobserveEach(thermostat, both, tag: "x") == 2)
    }

    @Test("No key paths and no object do nothing")
    func noKeyPathsAndNoObjectDoNothing() throws {
        let observations = wall.observations
        #expect(observations.observeEach(thermostat, [], options: .initial, action: Wall.somethingChanged).isEmpty)
        let nothing: Thermostat? = nil
        let refused: [ObservationResult] = [.refused(.noObject), .refused(.noObject)]
        #expect(observations.observeEach(nothing, both, options: .initial, action: Wall.somethingChanged) == refused)
        #expect(observations.observeEach(nothing, both, options: .initial, context: "") == refused)
        #expect(observations.observeEach(nothing, both, options: .initial) { _, _, _ in } == refused)
        #expect(observations.unobserveEach(nothing, both) == 0)
        try wall.log.expect([])
    }

    @Test("A change of unknown type gets its type back by its key path")
    func aChangeGetsItsTypeBack() throws {
        wall.observations.observeEach(thermostat, both, options: [.new, .old]) { wall, _, change in
            if let degrees = change.typed(as: \Thermostat.degrees) {
                wall.log.append("degrees \(describe(degrees))")
                #expect(degrees == KeyValueChange(newValue: 1, oldValue: 0))
            }
            if let room = change.typed(as: \Thermostat.room) { wall.log.append("room \(describe(room))") }
        }
        change()
        try wall.log.expect(["degrees change new 1 old 0", "room change new attic old hall"])
    }

    @Test("Replacing replaces each key path that is observed")
    func replacingReplacesEach() throws {
        wall.observations.observe(thermostat, \.room, initial: false, action: Wall.anythingDidChangeRoom)
        let results = wall.observations.observeEach(thermostat, both, ifAlreadyObserved: .replace) { wall, _, change in
            wall.anythingDidChange(change)
        }
        #expect(results == [.added, .replaced])
        change()
        try wall.log.expect(["degrees change new 1", "room change new attic"])
    }
}

extension Wall {
    fileprivate func anythingDidChangeRoom() { log.append("room") }
}
