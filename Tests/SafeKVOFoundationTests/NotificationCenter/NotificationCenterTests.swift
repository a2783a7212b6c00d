import Foundation
import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVOFoundation

/// Foundation's notifications, observed through the same controller.
@MainActor @Suite struct NotificationCenterTests {
    @MainActor final class Listener {
        let name: String
        let log: EventLog<String>
        lazy var observations = ObservationController(observer: self)

        init(_ name: String, _ log: EventLog<String>) {
            self.name = name
            self.log = log
        }

        func hear(_ notification: Notification) { log.append("\(name) \(notification.name.rawValue)") }
        func wake() { log.append("\(name) woke") }
    }

    let log = EventLog<String>()
    /// What observers of every name hear: Foundation decides whether they or the observers of a name come first.
    let everyName = EventLog<String>()
    let foundation = NotificationCenter()
    let center: ObservableNotificationCenter
    let listener: Listener
    let a = Notification.Name("a")
    let b = Notification.Name("b")

    init() {
        center = ObservableNotificationCenter(foundation)
        listener = Listener("L", log)
    }

    @Test("A token is told the events of a source, and those of a notification center")
    func aTokenIsToldEvents() throws {
        let (signal, center) = (Signal<Int>(), NotificationCenter())
        let observed = ObservableNotificationCenter(center)
        let tokens = [
            signal.observation { [log] in log.append("signal \($0)") },
            observed.observation(for: Notification.Name("a")) { [log] in log.append("notification \($0.name.rawValue)") },
        ]
        signal.send(1)
        center.post(name: Notification.Name("a"), object: nil)
        center.post(name: Notification.Name("b"), object: nil)
        try log.expect(["signal 1", "notification a"])
        for token in tokens { token.cancel() }
        signal.send(2)
        center.post(name: Notification.Name("a"), object: nil)
        try log.expect([])
    }

    @Test("By name, by object, by both and by neither, with user info, in the order of registration of each kind")
    func everyFilterHearsWhatItAskedFor() throws {
        let (thing, other) = (Thing(), Thing())
        let observations = listener.observations
        for (tag, name, object) in [("both", a, thing), ("neither", nil, nil), ("name", a, nil), ("object", nil, thing)] {
            let log = name == nil ? everyName : log
            observations.observe(center, for: name, object: object, tag: ObservationTag(tag)) { _, notification in
                log.append("\(tag) \(notification.name.rawValue) \(notification.userInfo?["n"] ?? "-")")
            }
        }
        foundation.post(name: a, object: thing, userInfo: ["n": 1])
        try log.expect(["both a 1", "name a 1"])
        try everyName.expect(["neither a 1", "object a 1"])
        foundation.post(name: a, object: other)
        try log.expect(["name a -"])
        try everyName.expect(["neither a -"])
        foundation.post(name: b, object: thing)
        try everyName.expect(["neither b -", "object b -"])
        foundation.post(name: b, object: nil)
        try everyName.expect(["neither b -"])
        #expect(observations.unobserve(center, for: a, object: thing, tag: "both") == 1)
        #expect(observations.unobserve(center, for: a, object: thing, tag: "both") == 0)
        #expect(observations.unobserve(center) == 3)
        foundation.post(name: a, object: thing)
        try log.expect([])
        try everyName.expect([])
    }

    @Test("Every form of the controller hears: closure, method without and with the notification")
    func everyFormHears() throws {
        let observations = listener.observations
        #expect(observations.observe(center, for: a) { listener, notification in listener.hear(notification) } == .added)
        #expect(observations.observe(center, for: a) { listener, notification in listener.hear(notification) } == .alreadyObserved)
        observations.observe(center, for: a, tag: "plain", action: Listener.wake)
        observations.observe(center, for: a, tag: "method", action: Listener.hear(_:))
        foundation.post(name: a, object: nil)
        try log.expect(["L a", "L woke", "L a"])
    }

    @Test("A removal during a post counts at once, which Foundation does not promise")
    func aRemovalDuringAPostCountsAtOnce() throws {
        let second = Listener("second", log)
        listener.observations.observe(center, for: a) { listener, notification in
            listener.hear(notification)
            second.observations.unobserve(center, for: a)
        }
        second.observations.observe(center, for: a, action: Listener.hear(_:))
        foundation.post(name: a, object: nil)
        try log.expect(["L a"])
    }

    @Test("Whoever removes twice removes nobody else's observation, on either side of the bridge")
    func removingTwiceHarmsNobody() throws {
        let heard = EventLog<String>()
        listener.observations.observe(center, for: a, action: Listener.hear(_:))
        listener.observations.unobserve(center, for: a)
        // Whose token might have the address of ours.
        let tokens = (0..<20).map { number in
            foundation.addObserver(forName: a, object: nil, queue: nil) { _ in heard.append("\(number)") }
        }
        listener.observations.unobserve(center, for: a)
        listener.observations.unobserve(center)
        foundation.post(name: a, object: nil)
        #expect(heard.events.count == 20)
        try log.expect([])
        for token in tokens { foundation.removeObserver(token) }
    }

    @Test("It is registered with Foundation only while somebody observes, and keeps nobody")
    func itIsRegisteredWhileSomebodyObserves() throws {
        let tracker = LifetimeTracker()
        weak var keptCenter: NotificationCenter?
        func live() {
            let own = NotificationCenter()
            keptCenter = own
            let center = tracker.track(ObservableNotificationCenter(own))
            let listener = tracker.track(Listener("T", log))
            listener.observations.observe(center, for: a, object: tracker.track(Thing()), action: Listener.hear(_:))
            listener.observations.observe(center, for: nil, action: Listener.hear(_:))
            own.post(name: a, object: nil)
            listener.observations.unobserveAll()
            own.post(name: a, object: nil)
            listener.observations.observe(center, for: a, action: Listener.hear(_:))
            own.post(name: a, object: nil)
        }
        live()
        try log.expect(["T a", "T a"])
        try tracker.expectAllGone()
        #expect(keptCenter == nil)
    }

    @Test("A centre that is not retained ends its observations with itself, and leaves nothing in Foundation's")
    func aCentreMayGoFirst() throws {
        let observations = ObservationController(observer: listener, retainsObserved: false)
        func live() {
            let center = ObservableNotificationCenter(foundation)
            observations.observe(
                center, for: a, handler: { listener, _ in listener.wake() }, onTermination: { [log] in log.append("ended: \($0)") })
            foundation.post(name: a, object: nil)
        }
        live()
        foundation.post(name: a, object: nil)
        try log.expect(["L woke", "ended: objectDeinitialized"])
    }

    @Test("Posting to the queue that one posts from does not hang, for nothing is handed to a queue")
    func postingFromAQueueDoesNotHang() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        listener.observations.observe(
            center, for: a, transform: { $0.name.rawValue }, on: .anyThread { [log] _, name in log.append("L \(name)") })
        let foundation = foundation
        queue.addOperation { foundation.post(name: Notification.Name("a"), object: nil) }
        queue.waitUntilAllOperationsAreFinished()
        try log.expect(["L a"])
    }

    @Test("The default one observes NotificationCenter.default")
    func theDefaultOneIsOfTheDefaultCentre() throws {
        let name = Notification.Name("theDefaultOneIsOfTheDefaultCentre")
        listener.observations.observe(ObservableNotificationCenter.default, for: name, action: Listener.wake)
        NotificationCenter.default.post(name: name, object: nil)
        try log.expect(["L woke"])
    }

    @Test("Rule 43b: Foundation is asked for the names that are observed, for every name only while that is observed")
    func foundationIsAskedForWhatIsObserved() throws {
        let (observations, thing) = (listener.observations, Thing())
        #expect(center.registered == [])
        observations.observe(center, for: a, action: Listener.wake)
        observations.observe(center, for: a, tag: "again", action: Listener.wake)
        observations.observe(center, for: a, object: thing, action: Listener.wake)
        observations.observe(center, for: b, object: thing, action: Listener.wake)
        #expect(center.registered == ["a", "b"])
        observations.unobserve(center, for: b, object: thing)
        #expect(center.registered == ["a"])
        observations.observe(center, for: nil, object: thing, action: Listener.wake)
        observations.observe(center, for: nil, action: Listener.wake)
        observations.observe(center, for: b, action: Listener.wake)
        #expect(center.registered == ["*", "a", "b"])
        observations.unobserve(center, for: nil)
        #expect(center.registered == ["*", "a", "b"])
        observations.unobserve(center, for: nil, object: thing)
        #expect(center.registered == ["a", "b"])
        foundation.post(name: b, object: nil)
        try log.expect(["L woke"])
        observations.unobserveAll()
        #expect(center.registered == [])
    }

    @Test(
        "Rule 43: observers of a name are called in the order of registration, and so are observers of every name",
        arguments: 0..<100 as Range<UInt64>)
    func theOrderIsThatOfRegistration(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (thing, observations) = (Thing(), listener.observations)
        var present: [(number: Int, name: Notification.Name?, object: Thing?)] = []
        for number in 0..<20 {
            if Int.random(in: 0..<4, using: &random) == 0, let index = present.indices.randomElement(using: &random) {
                let gone = present.remove(at: index)
                #expect(observations.unobserve(center, for: gone.name, object: gone.object, tag: "\(gone.number)") == 1)
            }
            let (name, object) = (Bool.random(using: &random) ? a : nil, Int.random(in: 0..<3, using: &random) == 0 ? thing : nil)
            present.append((number, name, object))
            let log = name == nil ? everyName : log
            observations.observe(center, for: name, object: object, tag: "\(number)") { _, _ in log.append("\(number)") }
            for posted in [thing, nil] {
                foundation.post(name: a, object: posted)
                let heard = present.filter { $0.object == nil || posted != nil }
                try self.log.expect(heard.filter { $0.name != nil }.map { "\($0.number)" })
                try everyName.expect(heard.filter { $0.name == nil }.map { "\($0.number)" })
            }
        }
    }

    @Test("Rule 43b: a name is removed for all objects at once")
    func aNameIsRemovedForAllObjects() throws {
        let (thing, other, observations) = (Thing(), Thing(), listener.observations)
        for object in [thing, other, nil] { observations.observe(center, for: a, object: object, action: Listener.hear(_:)) }
        observations.observe(center, for: a, tag: "tag", action: Listener.hear(_:))
        observations.observe(center, for: b, object: thing, action: Listener.hear(_:))
        observations.observe(center, for: nil, object: other, action: Listener.hear(_:))
        #expect(observations.unobserveAll(center, for: a) == 4)
        #expect(observations.unobserveAll(center, for: a) == 0)
        #expect(observations.counters.ignoredRemoves == 1)
        for name in [a, b] { for object in [thing, other] { foundation.post(name: name, object: object) } }
        try log.expect(["L a", "L b", "L b"])
    }

    @Test(
        "An observer that removes itself or comes during a post, of a name or of every name, is told as ever",
        arguments: [false, true])
    func observersComeAndGoDuringAPost(_ hasObject: Bool) throws {
        let object = hasObject ? Thing() : nil
        let (a, center, observations) = (a, center, listener.observations)
        observations.observe(center, for: nil, tag: "steady") { [everyName] _, _ in everyName.append("steady") }
        observations.observe(center, for: nil) { [everyName] listener, _ in
            everyName.append("every")
            listener.observations.unobserve(center, for: nil)
            listener.observations.observe(center, for: nil, tag: "new") { _, _ in everyName.append("new") }
        }
        observations.observe(center, for: a) { listener, _ in
            listener.log.append("a")
            listener.observations.unobserve(center, for: a)
            listener.observations.observe(center, for: a, tag: "later") { listener, _ in listener.log.append("later") }
        }
        foundation.post(name: a, object: object)
        try everyName.expect(["steady", "every"])
        try log.expect(["a"])
        foundation.post(name: a, object: object)
        try everyName.expect(["steady", "new"])
        try log.expect(["later"])
        #expect(observations.unobserve(center, for: nil, tag: "new") + observations.unobserve(center, for: nil, tag: "steady") == 2)
        foundation.post(name: a, object: object)
        try everyName.expect([])
        try log.expect(["later"])
    }

    @Test("Rule 43: an object that is deallocated or has another's address is another object", arguments: [false, true])
    func anAddressIsNoIdentity(_ isOfEveryName: Bool) throws {
        let name = isOfEveryName ? nil : a
        var addresses: Set<ObjectIdentifier> = []
        var repeated = 0
        for _ in 0..<100 {
            let thing = Thing()
            if !addresses.insert(ObjectIdentifier(thing)).inserted {
                repeated += 1
                foundation.post(name: a, object: thing)
                try log.expect([])
            }
            listener.observations.observe(center, for: name, object: thing) { listener, _ in listener.log.append("heard") }
            foundation.post(name: a, object: thing)
            try log.expect(["heard"])
        }
        #expect(repeated > 0)
        #expect(center.registered == [name?.rawValue ?? "*"])
        listener.observations.unobserveAll()
        #expect(center.registered == [])
    }

    final class Counter: Sendable { let heard = Atomic(0) }

    @Test("Rule 39: who observes all the while hears each post once, whoever begins and ends to observe every name or the name")
    nonisolated func steadyObserversHearEachPostOnce() async {
        let (center, a, posts) = (center, a, 4000)
        let (named, every) = (Counter(), Counter())
        let ofName = ObservationController(observer: named)
        ofName.observe(center, for: a) { counter, _ in counter.heard.wrappingAdd(1, ordering: .relaxed) }
        let ofEvery = ObservationController(observer: every)
        ofEvery.observe(center, for: nil) { counter, _ in counter.heard.wrappingAdd(1, ordering: .relaxed) }
        let isOver = Flag()
        let names: [Notification.Name?] = [a, nil, Notification.Name("b")]
        await withTaskGroup { group in
            for thread in 0..<2 {
                group.addTask {
                    await Threads.run {
                        let passing = Counter()
                        let observations = ObservationController(observer: passing)
                        var number = thread
                        while !isOver.isSet {
                            number += 1
                            observations.observe(center, for: names[number % 3]) { _, _ in }
                            if number % 2 == 0 { observations.unobserve(center, for: names[(number / 2) % 3]) }
                        }
                        observations.unobserveAll()
                    }
                }
            }
            group.addTask {
                await Threads.run {
                    for number in 0..<posts {
                        center.center.post(name: Notification.Name(number % 2 == 0 ? "a" : "b"), object: nil)
                        // A name that is new while every name is observed, and hears at once.
                        let own = Counter()
                        let observations = ObservationController(observer: own)
                        let name = Notification.Name("own \(number % 7)")
                        observations.observe(center, for: name) { counter, _ in counter.heard.wrappingAdd(1, ordering: .relaxed) }
                        center.center.post(name: name, object: nil)
                        if own.heard.load(ordering: .relaxed) != 1 { named.heard.wrappingAdd(1_000_000, ordering: .relaxed) }
                    }
                    isOver.set()
                }
            }
        }
        #expect(named.heard.load(ordering: .relaxed) == posts / 2)
        #expect(every.heard.load(ordering: .relaxed) == posts * 2)
    }

    @Test("Rule 43b: Foundation's own typed messages do not concern who observes another name")
    func typedMessagesOfOtherNamesDoNoHarm() async {
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                let foundation = NotificationCenter()
                let listener = Listener("L", EventLog())
                let center = ObservableNotificationCenter(foundation)
                listener.observations.observe(center, for: Notification.Name("other"), action: Listener.wake)
                listener.observations.observe(center, for: Notification.Name("another"), object: listener, action: Listener.wake)
                // Somebody who observed every name, and does no more.
                listener.observations.observe(center, for: nil, action: Listener.wake)
                listener.observations.observe(center, for: Notification.Name("later"), action: Listener.wake)
                #expect(listener.observations.unobserve(center, for: nil) == 1)
                foundation.post(LoudMessage(), subject: TypedSubject())
                foundation.post(QuietMessage(), subject: TypedSubject())
                foundation.post(name: Notification.Name("later"), object: nil)
                #expect(listener.log.events == ["L woke"])
            }
        }
    }
}

final class TypedSubject: Sendable {}

struct LoudMessage: NotificationCenter.AsyncMessage {
    typealias Subject = TypedSubject
    static var name: Notification.Name { Notification.Name("loud") }
}

private struct QuietMessage: NotificationCenter.MainActorMessage {
    typealias Subject = TypedSubject
    static var name: Notification.Name { Notification.Name("quiet") }
}

extension ObservableNotificationCenter {
    /// The names for which it is registered with Foundation, sorted; every name is `*`.
    var registered: [String] { relay.registeredNames.map { $0?.rawValue ?? "*" }.sorted() }
}
