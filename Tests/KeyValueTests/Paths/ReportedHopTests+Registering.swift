import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Registrations that are made while a hop or a property of another object is being changed.
extension ReportedHopTests {
    @Test("Rule 10: an observer that registers while a hop is announced is called by the evaluation at the end")
    func registeringInsideAnAnnouncement() throws {
        watch(\.manual.name, .new)
        let late = EventLog<String>()
        player.withChange(of: \.manual) {
            observations.observe(player, \.manual.name, options: .new, tag: "late") { late.append($2.told) }
            player.manual = Album("2")
        }
        try log.expect(["after new 2"])
        try late.expect(["after new 2"])
        player.manual.name = "3"
        try late.expect(["after new 3"])
    }

    @Test("Rule 10: the only observer, which registers while a hop is announced, follows the object that is there at the end")
    func registeringAloneInsideAnAnnouncement() throws {
        player.withChange(of: \.manual) {
            watch(\.manual.name, .new)
            player.manual = Album("2")
        }
        try log.expect(["after new 2"])
        player.manual.name = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 10: an observer that is added in a call before a change hears it through a path of another object")
    func addedBeforeAChangeElsewhere() throws {
        let late = EventLog<String>()
        watch(\.observed.name, .new)
        var isAdded = false
        observations.observe(player.observed, \.name, options: .prior) { [player, observations] _, _, change in
            guard change.isPrior, !isAdded else { return }
            isAdded = true
            observations.observe(player, \.observed.name, options: .new, tag: "late") { late.append($2.told) }
        }
        player.observed.name = "2"
        try log.expect(["after new 2"])
        try late.expect(["after new 2"])
        player.observed.name = "3"
        try late.expect(["after new 3"])
    }

    @Test(
        "Rule 10: an observer that one path's call before a change adds to a path of another object hears the change",
        arguments: [false, true])
    func addedBeforeAChangeByAnotherPath(isFirst: Bool) throws {
        let (other, late) = (Player(), EventLog<String>())
        other.observed = player.observed
        if isFirst { observations.observe(other, \.observed.name, options: .new) { log.append($2.told) } }
        var isAdded = false
        observations.observe(player, \.observed.name, options: .prior) { [observations] _, _, change in
            guard change.isPrior, !isAdded else { return }
            isAdded = true
            observations.observe(other, \.observed.name, options: .new, tag: "late") { late.append($2.told) }
        }
        if !isFirst { observations.observe(other, \.observed.name, options: .new) { log.append($2.told) } }
        player.observed.name = "2"
        try log.expect(["after new 2"])
        try late.expect(["after new 2"])
        player.observed.name = "3"
        try late.expect(["after new 3"])
    }
}
