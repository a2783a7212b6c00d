import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Pauses of handlers that belong to the main actor.
@Suite @MainActor struct ControllerPauseOnMainActorTests {
    typealias Gauge = ControllerPauseTests.Gauge
    typealias Reader = ControllerPauseTests.Reader

    let gauge = Gauge()
    let reader = Reader()
    let observations: ObservationController<Reader>

    init() { observations = ObservationController(observer: reader) }

    @Test("A hop that is on its way is not delivered; of values, the newest is when the controller is resumed")
    func aHopIsNotDelivered() async throws {
        observations.observe(gauge, \.level, on: .mainActor { reader, level in reader.log.append("\(level)") })
        observations.observe(
            gauge, \.level, options: .new, tag: "changes", on: .mainActor { reader, _, change in reader.log.append(describe(change)) })
        try reader.log.expect(["0"])
        // The main actor is busy meanwhile.
        OtherThread.run { [gauge] in for level in 1...3 { gauge.level = level } }
        observations.pause()
        // What comes in its turn is behind all that was on its way.
        let (other, witness) = (Gauge(), Reader())
        let behind = ObservationController(observer: witness)
        behind.observe(other, \.level, initial: false, on: .mainActor { witness, level in witness.log.append("\(level)") })
        OtherThread.run { other.level = 1 }
        await until { witness.log.events == ["1"] }
        try reader.log.expect([])
        observations.resume()
        try reader.log.expect(["3"])
        gauge.level = 4
        try reader.log.expect(["4", "change new 4"])
    }

    @Test("A handler of the main actor is called there, whoever resumes the controller")
    func aHandlerIsCalledWhereItBelongs() async throws {
        var levels: [Int] = []
        let observations = SharedObservationController(observer: reader)
        observations.observe(
            gauge, \.level,
            on: .mainActor { _, level in
                MainActor.assertIsolated()
                levels.append(level)
            })
        observations.pause()
        gauge.level = 1
        OtherThread.run { [observations] in observations.resume() }
        #expect(levels == [0])
        await until { levels.count > 1 }
        #expect(levels == [0, 1])
        #expect(observations.counters.wrongIsolation == 0)
    }

    @Test("An observer is told before and after a change, or not at all, of an @Observable object too")
    func anObservableObjectIsToldToTheEnd() async throws {
        let model = ControllerPairsOnMainActorTests.Model()
        observations.observe(model, \.count, options: [.prior, .new]) { reader, _, change in
            reader.log.append(describe(change))
            if change.isPrior { self.observations.pause() }
        }
        model.count = 1
        await until { reader.log.events.count >= 2 }
        try reader.log.expect(["prior", "change new 1"])
        observations.observe(model, \.count, initial: false, tag: "value") { reader, count in reader.log.append("\(count)") }
        let witness = Reader()
        let behind = ObservationController(observer: witness)
        behind.observe(model, \.count, initial: false) { witness, count in witness.log.append("\(count)") }
        model.count = 2
        // It is delivered later: when the witness, which comes last, has it, everybody else has been passed over.
        await until { witness.log.events == ["2"] }
        try reader.log.expect([])
        observations.resume()
        try reader.log.expect(["2"])
    }
}
