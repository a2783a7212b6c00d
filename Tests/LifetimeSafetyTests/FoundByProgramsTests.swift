import SafeKVO
import Testing

/// What random programs have found, each as small as it could be made.
@Suite struct FoundByProgramsTests {
    let viewer = SharedViewer()

    @Test("Rules 13 and 47: a key path whose last observation ends inside a batch that changes it can be observed again")
    func aKeyPathAtRestIsNotEvaluatedByABatch() {
        let lamp = Lamp()
        let observations = ObservationController(observer: viewer)
        var heard: [Int] = []
        observations.observe(lamp, \.percent, options: .new) { _, _, _ in heard.append(-1) }
        withBatchedChanges {
            lamp.brightness = 1
            observations.unobserveAll()
        }
        observations.observe(lamp, \.percent, options: .new) { _, _, change in heard.append(change.newValue ?? -2) }
        lamp.brightness = 2
        #expect(heard == [2])
    }

    @Test("Rule 47: what another thread changes in an object that a batch has replaced in a path is told with the value of now")
    func anObjectThatABatchHasReplacedGivesNoValue() {
        let (lamp, neighbour) = (Shared(Lamp()), Shared(Lamp()))
        lamp.current.neighbour = neighbour.current
        let observations = ObservationController(observer: viewer)
        let (calls, stale) = (Tally(), Tally())
        observations.observe(lamp.current, \.neighbour?.brightness, options: .new) { _, _, change in
            calls.add()
            if change.newValue != .some(nil) { stale.add() }
        }
        withBatchedChanges {
            lamp.current.neighbour = nil
            OtherThread.run { neighbour.current.brightness = 1 }
        }
        // The other thread's change is told at once, and the batch's at its end.
        #expect((1...2).contains(calls.total))
        #expect(stale.total == 0)
        neighbour.current.brightness = 2
        #expect((1...2).contains(calls.total))
    }

    @Test(
        "Rule 10: an observer of a computed value that is added before the evaluation of a change is called by it",
        arguments: [true, false])
    func anObserverOfAComputedValueThatIsThereIsCalled(prior: Bool) {
        let lamp = Lamp()
        let observations = ObservationController(observer: viewer)
        var heard: [Int] = []
        observations.observe(lamp, \.brightness, options: prior ? [.prior, .new] : .new) { _, lamp, change in
            guard change.isPrior == prior else { return }
            observations.observe(lamp, \.percent, options: .new, tag: "late") { _, _, change in heard.append(change.newValue ?? -1) }
        }
        // The value is followed already, and told of after the first observer.
        observations.observe(lamp, \.percent, options: .new) { _, _, _ in }
        lamp.brightness = 1
        #expect(heard == [lamp.percent])
        lamp.brightness = 2
        #expect(heard.last == 2)
        // The first handler captures its controller.
        observations.unobserveAll()
    }
}
