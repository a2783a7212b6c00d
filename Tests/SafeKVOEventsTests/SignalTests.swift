import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// What only signals do; what they share with every source is in the contract suite.
@MainActor @Suite struct SignalTests {
    @MainActor final class Reader {
        let log: EventLog<String>
        lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func hear(_ number: Int) { log.append("heard \(number)") }
        func wake() { log.append("woke") }
    }

    let log = EventLog<String>()
    let reader: Reader

    init() { reader = Reader(log) }

    @Test("Rule 42: a signal has no value of its own: nobody hears what was sent before")
    func aSignalHasNoValue() throws {
        let signal = Signal<Int>()
        signal.send(1)
        reader.observations.observe(signal) { reader, number in reader.hear(number) }
        try log.expect([])
        signal.send(2)
        signal.send(2)
        try log.expect(["heard 2", "heard 2"])
    }

    @Test("Rule 42: a signal is observed with a closure of two or three arguments or with a method of the observer")
    func everyFormHears() throws {
        let (signal, bell) = (Signal<Int>(), Signal<Void>())
        let observations = reader.observations
        observations.observe(signal) { reader, number in reader.hear(number) }
        observations.observe(signal, tag: "three") { [signal] reader, source, number in
            reader.log.append("\(source === signal ? "this" : "other") \(number)")
        }
        observations.observe(signal, tag: "method", action: Reader.hear(_:))
        observations.observe(signal, tag: "plain method", action: Reader.wake)
        observations.observe(bell) { reader, _ in reader.log.append("rang") }
        observations.observe(bell, tag: "method", action: Reader.wake)
        signal.send(7)
        try log.expect(["heard 7", "this 7", "heard 7", "woke"])
        bell.send()
        try log.expect(["rang", "woke"])
        #expect(observations.unobserve(signal) == 4)
        #expect(observations.unobserve(bell, for: nil, tag: "method") == 1)
        signal.send(8)
        bell.send()
        try log.expect(["rang"])
    }

    @Test("A signal can be a constant of a class that threads share")
    func aSignalMayBeShared() throws {
        let signal = Signal<Int>()
        reader.observations.observe(signal, on: .anyThread { [log] _, number in log.append("heard \(number)") })
        OtherThread.run { signal.send(3) }
        try log.expect(["heard 3"])
    }

    @Test("A signal that is sent without an observer keeps nothing of what was sent")
    func aSignalKeepsNothing() throws {
        final class Payload {}
        let tracker = LifetimeTracker()
        let signal = Signal<Payload>()
        let observations = reader.observations
        func send() { signal.send(tracker.track(Payload())) }
        send()
        observations.observe(signal) { reader, _ in reader.wake() }
        send()
        try tracker.expectAllGone()
        try log.expect(["woke"])
    }
}
