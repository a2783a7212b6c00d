import Foundation
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import Testing

/// Foundation's notifications, observed through the same controller.
@Suite struct NotificationCenterTests {
    final class Listener {
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
    let foundation = NotificationCenter()
    let center: ObservableNotificationCenter
    let listener: Listener
    let a = Notification.Name("a")
    let b = Notification.Name("b")

    init() {
        center = ObservableNotificationCenter(foundation)
        listener = Listener("L", log)
    }

    @Test("By name, by object, by both and by neither, with user info, in the order of registration")
    func everyFilterHearsWhatItAskedFor() throws {
        let (thing, other) = (Thing(), Thing())
        let observations = listener.observations
        for (tag, name, object) in [("both", a, thing), ("neither", nil, nil), ("name", a, nil), ("object", nil, thing)] {
            observations.observe(center, name, object: object, tag: ObservationTag(tag)) { listener, notification in
                listener.log.append("\(tag) \(notification.name.rawValue) \(notification.userInfo?["n"] ?? "-")")
            }
        }
        foundation.post(name: a, object: thing, userInfo: ["n": 1])
        try log.expect(["both a 1", "neither a 1", "name a 1", "object a 1"])
        foundation.post(name: a, object: other)
        try log.expect(["neither a -", "name a -"])
        foundation.post(name: b, object: thing)
        try log.expect(["neither b -", "object b -"])
        foundation.post(name: b, object: nil)
        try log.expect(["neither b -"])
        #expect(observations.unobserve(center, a, object: thing, tag: "both") == 1)
        #expect(observations.unobserve(center, a, object: thing, tag: "both") == 0)
        #expect(observations.unobserve(center) == 3)
        foundation.post(name: a, object: thing)
        try log.expect([])
    }

    @Test("Every form of the controller hears: closure, method without and with the notification")
    func everyFormHears() throws {
        let observations = listener.observations
        #expect(observations.observe(center, a) { listener, notification in listener.hear(notification) } == .added)
        #expect(observations.observe(center, a) { listener, notification in listener.hear(notification) } == .alreadyObserved)
        observations.observe(center, a, tag: "plain", action: Listener.wake)
        observations.observe(center, a, tag: "method", action: Listener.hear(_:))
        foundation.post(name: a, object: nil)
        try log.expect(["L a", "L woke", "L a"])
    }

    @Test("A removal during a post counts at once, which Foundation does not promise")
    func aRemovalDuringAPostCountsAtOnce() throws {
        let second = Listener("second", log)
        listener.observations.observe(center, a) { listener, notification in
            listener.hear(notification)
            second.observations.unobserve(center, a)
        }
        second.observations.observe(center, a, action: Listener.hear(_:))
        foundation.post(name: a, object: nil)
        try log.expect(["L a"])
    }

    @Test("Whoever removes twice removes nobody else's observation, on either side of the bridge")
    func removingTwiceHarmsNobody() throws {
        let heard = EventLog<String>()
        listener.observations.observe(center, a, action: Listener.hear(_:))
        listener.observations.unobserve(center, a)
        // Whose token might have the address of ours.
        let tokens = (0..<20).map { number in
            foundation.addObserver(forName: a, object: nil, queue: nil) { _ in heard.append("\(number)") }
        }
        listener.observations.unobserve(center, a)
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
            listener.observations.observe(center, a, object: tracker.track(Thing()), action: Listener.hear(_:))
            listener.observations.observe(center, nil, action: Listener.hear(_:))
            own.post(name: a, object: nil)
            listener.observations.unobserveAll()
            own.post(name: a, object: nil)
            listener.observations.observe(center, a, action: Listener.hear(_:))
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
            observations.observe(center, a, handler: { listener, _ in listener.wake() }, onEnd: { [log] in log.append("ended: \($0)") })
            foundation.post(name: a, object: nil)
        }
        live()
        foundation.post(name: a, object: nil)
        try log.expect(["L woke", "ended: observedGone"])
    }

    @Test("Posting to the queue that one posts from does not hang, for nothing is handed to a queue")
    func postingFromAQueueDoesNotHang() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        listener.observations.observe(center, a, action: Listener.hear(_:))
        let foundation = foundation
        queue.addOperation { foundation.post(name: Notification.Name("a"), object: nil) }
        queue.waitUntilAllOperationsAreFinished()
        try log.expect(["L a"])
    }

    @Test("The default one observes NotificationCenter.default")
    func theDefaultOneIsOfTheDefaultCentre() throws {
        let name = Notification.Name("theDefaultOneIsOfTheDefaultCentre")
        listener.observations.observe(ObservableNotificationCenter.default, name, action: Listener.wake)
        NotificationCenter.default.post(name: name, object: nil)
        try log.expect(["L woke"])
    }
}
