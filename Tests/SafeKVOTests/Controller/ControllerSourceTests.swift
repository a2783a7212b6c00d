import SafeKVO
import SafeKVOTesting
import Testing

/// What a source written by a user is told of its observers.
@Suite struct ControllerSourceTests {
    final class Bell: ObservationSource {
        let eventRegistrar = EventRegistrar<String>()
        let log: EventLog<String>
        var ringsWhenAttached = false
        var lastWord: String?

        init(_ log: EventLog<String>) {
            self.log = log
        }

        deinit {
            if let lastWord { ring(lastWord) }
        }

        func ring(_ sound: String) { eventRegistrar.notify(sound) }

        func observationDidBegin(_ info: ObservationInfo) {
            log.append("attach")
            if ringsWhenAttached { ring("hello") }
        }

        func observationDidEnd(_ info: ObservationInfo) { log.append("detach") }
    }

    final class Reader {}

    let log = EventLog<String>()
    let reader = Reader()

    @Test("A source is told of each observation that comes and goes, and of no other")
    func aSourceIsToldOfItsObservations() throws {
        let bell = Bell(log)
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { [log] _, sound in log.append(sound) }
        observations.observe(bell) { _, _ in }
        observations.observe(bell, tag: "x") { _, _ in }
        try log.expect(["attach", "attach"])
        bell.ring("ding")
        #expect(observations.unobserve(bell, for: nil) == 1)
        #expect(observations.unobserve(bell, for: nil) == 0)
        #expect(observations.unobserve(bell) == 1)
        try log.expect(["ding", "detach", "detach"])
    }

    @Test("A source is told of a replacement: the new one comes, the old one goes")
    func aSourceIsToldOfAReplacement() throws {
        let bell = Bell(log)
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { _, _ in }
        observations.observe(bell, ifAlreadyObserved: .replace) { [log] _, sound in log.append(sound) }
        bell.ring("ding")
        try log.expect(["attach", "attach", "detach", "ding"])
    }

    @Test("A source that is going is told nothing, and tells nobody", arguments: [true, false])
    func aSourceThatIsGoingTellsNobody(retaining: Bool) throws {
        let observations = ObservationController(observer: reader, retainsObserved: retaining)
        func observe() {
            let bell = Bell(log)
            bell.lastWord = "dong"
            observations.observe(bell) { [log] _, sound in
                log.append(sound)
            } onTermination: { [log] in
                log.append("ended: \($0)")
            }
            bell.ring("ding")
        }
        observe()
        if retaining { #expect(observations.unobserveAll() == 1) }
        try log.expect(["attach", "ding"] + (retaining ? ["ended: removed", "detach"] : ["ended: objectDeinitialized"]))
    }

    @Test("The form with three arguments is given the source")
    func theFormWithThreeArgumentsIsGivenTheSource() throws {
        let bell = Bell(log)
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { [log, reader] observer, source, sound in
            #expect(observer === reader)
            #expect(source === bell)
            log.append(sound)
        }
        bell.ring("ding")
        observations.unobserveAll()
        try log.expect(["attach", "ding", "detach"])
    }

    @Test("A source may notify as soon as it is attached, and the new observer hears it")
    func aSourceMayNotifyWhenAttached() throws {
        let bell = Bell(log)
        bell.ringsWhenAttached = true
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { [log] _, sound in log.append("first \(sound)") }
        try log.expect(["attach", "first hello"])
    }

    @Test("Rule 48: the old handler of a replacement hears nothing that the source tells when it is attached")
    func anOldHandlerHearsNothingOfItsReplacement() throws {
        let bell = Bell(log)
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { [log] _, sound in log.append("first \(sound)") }
        bell.ringsWhenAttached = true
        observations.observe(bell, ifAlreadyObserved: .replace) { [log] _, sound in log.append("second \(sound)") }
        #expect(log.events.filter { $0.hasSuffix("hello") } == ["second hello"])
    }

    class Chime: ObservationSource {
        let eventRegistrar = EventRegistrar<Int>()
        func ring() { eventRegistrar.notify(1) }
    }
    final class LoudChime: Chime {}

    @Test("A source is one source, whatever class it is seen as")
    func aSourceIsOneWhateverItIsSeenAs() throws {
        let loud = LoudChime()
        let observations = ObservationController(observer: reader)
        let first = observations.observe(loud as Chime) { [log] _, sound in log.append("first \(sound)") }
        let again = observations.observe(loud) { [log] _, sound in log.append("again \(sound)") }
        let other = observations.observe(loud, tag: "other") { [log] _, sound in log.append("other \(sound)") }
        #expect([first, again, other] == [.added, .alreadyObserved, .added])
        loud.ring()
        try log.expect(["first 1", "other 1"])
    }
}
