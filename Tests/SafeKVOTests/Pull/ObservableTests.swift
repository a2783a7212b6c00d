import Observation
import SafeKVOTesting
import TestSupport
import Testing

@testable import SafeKVO

/// Objects of Swift's own `@Observable`, observed on the main actor, where they belong.
@Suite @MainActor struct ObservableTests {
    let log = EventLog<String>()

    @Observable final class Child {
        var name = "a"
    }

    @Observable final class Model {
        var count = 0
        var child = Child()
        var items = [1]
        var isDetailed = false
        var detail = "?"
        var label: String { isDetailed ? detail : "\(count)" }
        @ObservationIgnored var ignored = 0
    }

    @Observable final class Restless {
        var count = 0
        deinit { count = 1 }
    }

    final class Viewer {
        private(set) lazy var observations = ObservationController(observer: self)
        private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
    }

    let model = Model()
    let viewer = Viewer()

    /// Lets the main actor come to the end of what it is doing, until so much has been heard.
    private func hear(_ count: Int) async {
        await until { log.events.count >= count }
    }

    /// Lets whatever may be on its way arrive.
    private func settle() async {
        let (model, viewer) = (Model(), Viewer())
        let log = EventLog<String>()
        // What comes in its turn is behind all that was on its way.
        for _ in 1...3 {
            viewer.observations.observe(model, \.count, options: .new) { _, _, _ in log.append("") }
            model.count += 1
            await until { !log.events.isEmpty }
            await Task.detached { await MainActor.run {} }.value  // the change may have been told at once
            log.removeAll()
            viewer.observations.unobserveAll()
        }
    }

    @Test("A change of an @Observable object is told when the actor is done, or at once if Swift reports it, with the value in place")
    func aChangeIsTold() async throws {
        let result = viewer.observations.observe(model, \.count, options: [.old, .new]) { [log] viewer, model, change in
            log.append("\(change.oldValue ?? -1) became \(change.newValue ?? -1), is \(model.count)")
        }
        #expect(result == .added)
        model.count = 1
        #expect(log.events == (isReportedAfter ? ["0 became 1, is 1"] : []))
        await hear(1)
        try log.expect(["0 became 1, is 1"])
        model.count = 2
        await hear(1)
        try log.expect(["1 became 2, is 2"])
    }

    @Test("The present value comes first")
    func thePresentValueComesFirst() async throws {
        viewer.observations.observe(model, \.count) { [log] _, count in log.append("\(count)") }
        try log.expect(["0"])
        model.count = 1
        await hear(1)
        try log.expect(["1"])
    }

    @Test("Each of several changes is told, when the next one is about to come, with the property as that change left it")
    func eachOfSeveralChangesIsTold() async throws {
        viewer.observations.observe(model, \.count, options: [.old, .new]) { [log] _, model, change in
            log.append("\(change.oldValue ?? -1) became \(change.newValue ?? -1), is \(model.count)")
        }
        for count in 1...3 { model.count = count }
        let changes = ["0 became 1, is 1", "1 became 2, is 2", "2 became 3, is 3"]
        #expect(log.events == (isReportedAfter ? changes : changes.dropLast()))
        await hear(3)
        try log.expect(changes)
    }

    @Test(
        "Rule 3, 4, 5: the options say what is told",
        arguments: [[], .new, .old, [.initial, .new], [.prior, .old, .new], [.prior]] as [KeyValueObservingOptions])
    func theOptionsSayWhatIsTold(options: KeyValueObservingOptions) async throws {
        var seen: [Int] = []
        var changes: [KeyValueChange<Int>] = []
        viewer.observations.observe(model, \.count, options: options) { [log] _, model, change in
            changes.append(change)
            seen.append(model.count)
            log.append("\(change)")
        }
        var expected: [KeyValueChange<Int>] = []
        var values: [Int] = []
        if options.contains(.initial) {
            expected.append(KeyValueChange(newValue: 0, isInitial: true))
            values.append(0)
        }
        for count in 1...2 {
            model.count = count
            let old = options.contains(.old) ? count - 1 : nil
            if options.contains(.prior) {
                expected.append(KeyValueChange(oldValue: old, isPrior: true))
                values.append(count - 1)
            }
            expected.append(KeyValueChange(newValue: options.contains(.new) ? count : nil, oldValue: old))
            values.append(count)
        }
        await hear(expected.count)
        #expect(changes == expected)
        #expect(seen == values)
    }

    @Test("Computed values and nested paths are followed, also where what they read changes")
    func computedAndNestedValuesAreFollowed() async throws {
        viewer.observations.observe(model, \.label) { [log] _, label in log.append(label) }
        viewer.observations.observe(model, \.child.name) { [log] _, name in log.append("child \(name)") }
        try log.expect(["0", "child a"])
        model.count = 1
        await hear(1)
        try log.expect(["1"])
        model.isDetailed = true
        await hear(1)
        try log.expect(["?"])
        model.count = 2  // no longer read
        model.detail = "!"
        await hear(1)
        try log.expect(["!"])
        let old = model.child
        old.name = "b"
        await hear(1)
        try log.expect(["child b"])
        model.child = Child()
        await hear(1)
        try log.expect(["child a"])
        old.name = "c"  // replaced
        model.child.name = "d"
        await hear(1)
        try log.expect(["child d"])
    }

    @Test("A change in place is one change")
    func aChangeInPlaceIsOneChange() async throws {
        viewer.observations.observe(model, \.items, options: [.old, .new]) { [log] _, _, change in
            log.append("\(change.oldValue ?? []) became \(change.newValue ?? [])")
        }
        model.items.append(2)
        model.items[0] = 0
        await hear(2)
        try log.expect(["[1] became [1, 2]", "[1, 2] became [0, 2]"])
    }

    @Test("A change that a handler makes is told after the one that it hears of")
    func aHandlerMayChangeTheValue() async throws {
        viewer.observations.observe(model, \.count) { [log] _, count in log.append("a \(count)") }
        viewer.observations.observe(model, \.count, options: [.old, .new], tag: "limit") { [log] _, model, change in
            log.append("b \(change.oldValue ?? -1) \(change.newValue ?? -1)")
            if model.count > 10 { model.count = 10 }
        }
        model.count = 11
        await hear(5)
        try log.expect(["a 0", "a 11", "b 0 11", "a 10", "b 11 10"])
        model.count = 20
        model.count = 5
        await hear(6)
        // What the handler made of the first is told before the second is made.
        try log.expect(["a 20", "b 10 20", "a 10", "b 20 10", "a 5", "b 10 5"])
    }

    @Test("Rule 9: an observer that comes later hears no change that came before it; the others hear it then")
    func aLaterObserverHearsNothingFromBefore() async throws {
        viewer.observations.observe(model, \.count, options: .new) { [log] _, _, change in log.append("a \(change.newValue ?? -1)") }
        model.count = 1
        viewer.observations.observe(model, \.count, options: [.old, .new], tag: "b") { [log] _, _, change in
            log.append("b \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        try log.expect(["a 1"])
        model.count = 2
        await hear(2)
        try log.expect(["a 2", "b 1 2"])
    }

    @Test("Rule 6: changes between equal values may be left out")
    func equalValuesMayBeLeftOut() async throws {
        viewer.observations.observe(model, \.label, removing: .duplicates) { [log] _, label in log.append(label) }
        model.isDetailed = true
        await hear(2)
        model.detail = "0"
        model.detail = "1"
        await hear(4)
        try log.expect(["0", "?", "0", "1"])
        model.isDetailed = false
        await hear(1)
        model.detail = "2"  // no longer read
        model.isDetailed = true
        model.isDetailed = false
        await hear(3)
        try log.expect(["0", "2", "0"])
    }

    @Test("Rule 39: after a removal nothing that is on its way is told")
    func nothingIsToldAfterARemoval() async throws {
        viewer.observations.observe(model, \.count, options: .new) { [log] _, _, _ in log.append("told") }
        model.count = 1
        #expect(viewer.observations.unobserve(model, \.count) == 1)
        model.count = 2
        await settle()
        try log.expect(isReportedAfter ? ["told"] : [])
        viewer.observations.observe(model, \.count, options: .new) { [log] _, _, change in log.append("\(change.newValue ?? -1)") }
        model.count = 3
        await hear(1)
        try log.expect(["3"])
    }

    @Test("Rule 48: object, key path and tag make an observation")
    func theKeyIsObjectKeyPathAndTag() async throws {
        let observations = viewer.observations
        func observe(_ label: String, tag: ObservationTag? = nil, _ ifAlreadyObserved: RepeatedObservation = .ignore) -> ObservationResult {
            observations.observe(
                model, \.count, options: .new, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                handler: { [log] _, _, change in log.append("\(label) \(change.newValue ?? -1)") })
        }
        #expect(observe("a") == .added)
        #expect(observe("b") == .alreadyObserved)
        #expect(observe("c", tag: "c") == .added)
        #expect(observe("d", .replace) == .replaced)
        #expect(observations.poll(model, \.count, every: .seconds(1)) { _, _ in } == .alreadyObserved)
        model.count = 1
        await hear(2)
        try log.expect(["d 1", "c 1"])
        #expect(observations.unobserve(model) == 2)
    }

    @Test("Rule 31, 32: the object is kept, unless the controller does not retain; then its end is told one hop later")
    func theObjectMayGoFirst() async throws {
        func observe(with observations: ObservationController<Viewer>) -> () -> Model? {
            let model = Model()
            observations.observe(model, \.count) { _, _ in
            } onTermination: { [log] reason in
                log.append("\(reason)")
            }
            return { [weak model] in model }
        }
        let kept = observe(with: viewer.observations)
        #expect(kept() != nil)
        viewer.observations.unobserveAll()
        #expect(kept() == nil)
        try log.expect(["removed"])
        let gone = observe(with: viewer.notRetaining)
        #expect(gone() == nil)
        await hear(1)
        try log.expect(["objectDeinitialized"])
        #expect(viewer.notRetaining.unobserveAll() == 0)
    }

    @Test("Rule 32: an object that changes in its own deinit tells nobody")
    func anObjectThatGoesTellsNobody() async throws {
        do {
            let restless = Restless()
            viewer.notRetaining.observe(restless, \.count) { [log] _, count in
                log.append("\(count)")
            } onTermination: { [log] reason in
                log.append("\(reason)")
            }
            restless.count = 2
            restless.count = 3
        }
        await hear(3)
        await settle()
        try log.expect(isReportedAfter ? ["0", "2", "3", "objectDeinitialized"] : ["0", "2", "objectDeinitialized"])
    }

    @Test("Rule 30: an observer that is gone is not called, and what was on its way is dropped and counted")
    func anObserverThatIsGoneIsNotCalled() async throws {
        var viewer: Viewer? = Viewer()
        let observations = try ObservationController(observer: #require(viewer))
        observations.observe(model, \.count) { [log] _, count in
            log.append("\(count)")
        } onTermination: { [log] reason in
            log.append("\(reason)")
        }
        if !isReportedAfter { model.count = 1 }
        viewer = nil
        if isReportedAfter { model.count = 1 }
        await hear(2)
        try log.expect(["0", "observerDeinitialized"])
        #expect(observations.counters == ObservationCounters(delivered: 1, dropped: 1))
    }

    @Test("Rule 33: handlers and their captures are released at removal, whatever Swift's tracking still holds")
    func capturesAreReleasedAtRemoval() throws {
        let tracker = LifetimeTracker()
        func observe() {
            let capture = tracker.track(Child())
            viewer.observations.observe(model, \.count) { _, count in capture.name = "\(count)" }
        }
        observe()
        #expect(tracker.survivors.count == 1)
        viewer.observations.unobserve(model, \.count)
        try tracker.expectAllGone()
    }

    @Test("Observing and ending it again and again leaves nothing more with the object")
    func comingAndGoingLeavesNothing() async throws {
        viewer.observations.observe(model, \.count, options: .new) { [log] _, _, change in log.append("\(change.newValue ?? -1)") }
        let record = try #require(PulledRecords.shared.existingRecords(of: model).first)
        let key = unsafe try #require(record.pulledList(spelled: \Model.count)?.object.hook as? PulledKey)
        let driver: Tracker<Model, Int> = try #require(key.driver { _ in true })
        let before = driver.readingCount
        for turn in 0..<100 {
            let other = Viewer()
            other.observations.observe(model, \.count, options: [.old, .new], tag: "\(turn)") { _, _, _ in }
        }
        #expect(driver.readingCount == before)
        viewer.observations.unobserveAll()
        for _ in 0..<100 {
            viewer.observations.observe(model, \.count) { _, _ in }
            viewer.observations.unobserveAll()
        }
        #expect(driver.readingCount == before)
    }

    @Test("Rule 19: a value that reads nothing @Observable is reported, once")
    func nothingObservableIsReported() {
        Warnings.listen()
        let start: UInt = #line
        for _ in 1...2 {
            viewer.observations.observe(model, \.ignored) { _, _ in }
            viewer.observations.unobserve(model, \.ignored)
        }
        #expect(Warnings.about(start...#line) == ["nothingObservable 2"])
    }

    @Test("Rule 47: in a batch, changes are told as one, later")
    func batchesAreToldAsOne() async throws {
        viewer.observations.observe(model, \.count, options: [.old, .new]) { [log] _, _, change in
            log.append("\(change.oldValue ?? -1) became \(change.newValue ?? -1)")
        }
        withBatchedChanges {
            for count in 1...3 { model.count = count }
        }
        await hear(1)
        try log.expect(["0 became 3"])
    }

    @Test("An object that goes while others still hold what it has read ends its observations when that changes")
    func whatAnObjectReadMayOutliveIt() async throws {
        let child = Child()
        do {
            let model = Model()
            model.child = child
            viewer.notRetaining.observe(model, \.child.name) { [log] _, name in
                log.append(name)
            } onTermination: { [log] reason in
                log.append("\(reason)")
            }
        }
        child.name = "b"
        try log.expect(["a", "objectDeinitialized"])
    }

    @Test("A class that is observable in both ways is observed as the library's own")
    func theLibrarysOwnWayIsPreferred() throws {
        final class Both: KeyValueObject, Observable {
            @Observed var count = 0
        }
        let both = Both()
        viewer.observations.observe(both, \.count) { [log] _, count in log.append("\(count)") }
        both.count = 1
        try log.expect(["0", "1"])
    }
}
