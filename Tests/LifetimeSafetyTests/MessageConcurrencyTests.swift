import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Synchronization
import Testing

/// Rules 36 to 39 for messages: names and objects come and go beside posts.
@Suite struct MessageConcurrencyTests {
    private final class Thing: Sendable {}

    private struct Number: Message {
        let value: Int
    }

    private final class Total: Sendable {
        let count = Atomic(0)
        func add(_ number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
        var value: Int { count.load(ordering: .acquiring) }
    }

    let observer = SharedViewer()

    @Test("Rules 36 and 37: every post is heard once by who is there all the time, while others come and go")
    func everyPostIsHeard() throws {
        let center = MessageCenter()
        let thing = Thing()
        let steady = ObservationController(observer: observer)
        let (byName, byObject, everything, typed) = (Total(), Total(), Total(), Total())
        steady.observe(center, for: "a") { _, _ in byName.add(1) }
        steady.observe(center, for: nil, object: thing) { _, _ in byObject.add(1) }
        steady.observe(center, for: nil) { _, _ in everything.add(1) }
        steady.observe(center, for: Number.self) { _, message in typed.add(message.value) }
        center.setDecoder(MessageDecoder { _ in Number(value: 1) }, for: "b")
        try Threads.run(4) { [observer] thread in
            let passing = ObservationController(observer: observer)
            for round in 0..<1500 {
                passing.observe(center, for: "a") { _, _ in }
                passing.observe(center, for: "b", object: thing) { _, _ in }
                passing.observe(center, for: nil, object: thing) { _, _ in }
                passing.observe(center, for: "name \(round % 7)") { _, _ in }
                passing.observe(center, for: Number.self, object: thing) { _, _ in }
                center.post("a", object: thing)
                center.post("b")
                center.post(Number(value: 1), object: thing)
                if thread == 0, round.isMultiple(of: 50) {
                    center.setDecoder(MessageDecoder { _ in Number(value: 1) }, for: "b")
                }
                passing.unobserve(center, for: "b", object: thing)
                passing.unobserve(center)
            }
        }
        #expect(byName.value == 6000)
        #expect(byObject.value == 6000)
        #expect(everything.value == 12_000)
        // One decoder takes the other's place without a moment between them.
        #expect(typed.value == 12_000)
        #expect(steady.counters.delivered == 36_000)
    }

    @Test("Rule 43: a registration that returned hears what is posted afterwards, however often its name lost its last observer")
    func noRegistrationIsLost() throws {
        let center = MessageCenter()
        let lost = Total()
        try Threads.run(4) { [observer] _ in
            let observations = ObservationController(observer: observer)
            for _ in 0..<4000 {
                let heard = Total()
                observations.observe(center, for: "contended") { _, _ in heard.add(1) }
                center.post("contended")
                observations.unobserve(center, for: "contended")
                if heard.value == 0 { lost.add(1) }
            }
        }
        #expect(lost.value == 0)
    }

    @Test("Rule 32: objects that are asked for die beside posts about them")
    func objectsDieBesidePosts() throws {
        let center = MessageCenter()
        let strangers = Total()
        try Threads.run(4) { [observer] _ in
            let observations = ObservationController(observer: observer)
            for _ in 0..<2000 {
                let thing = Thing()
                let identity = ObjectIdentifier(thing)
                observations.observe(center, for: "a", object: thing) { _, message in
                    if message.object.map({ ObjectIdentifier($0) }) != identity { strangers.add(1) }
                }
                center.post("a", object: thing)
            }
        }
        #expect(strangers.value == 0)
    }

    @Test("Centres and observers end on any thread")
    func centresEndOnAnyThread() throws {
        let tracker = LifetimeTracker()
        let current = Shared(MessageCenter())
        try Threads.run(4) { thread in
            for round in 0..<1500 {
                if thread == 0 {
                    let next = tracker.track(MessageCenter())
                    let old = current.exchange(next)
                    old.post("a")
                } else {
                    let center = current.current
                    let viewer = tracker.track(SharedViewer())
                    let observations = ObservationController(observer: viewer, retainsObserved: round.isMultiple(of: 2))
                    observations.observe(center, for: "a") { _, _ in }
                    observations.observe(center, for: Number.self) { _, _ in }
                    center.post("a")
                    center.post(Number(value: 1))
                }
            }
        }
        _ = current.exchange(MessageCenter())
        try tracker.expectAllGone()
    }
}
