import Foundation
import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// Rules 41, 45, 46: signals and messages on other isolations, on queues and as sequences.
@Suite struct EventsInOtherIsolationsTests {
    struct Saved: Message, Sendable, Equatable {
        let count: Int
    }

    @MainActor final class View {
        var heard: [Int] = []
        nonisolated init() {}
    }

    @Archive final class Log {
        var heard: [Int] = []
        nonisolated init() {}
    }

    actor Station {
        var heard: [Int] = []
    }

    final class Plain: Sendable {}

    let signal = Signal<Int>()
    let center = MessageCenter()

    @Test("Rule 41: what is sent and posted on the main actor is told there at once")
    @MainActor func atOnceOnTheMainActor() {
        let view = View()
        let observations = ObservationController(observer: view)
        observations.observe(signal, on: .mainActor { view, value in view.heard.append(value) })
        observations.observe(center, for: Saved.self, on: .mainActor { view, saved in view.heard.append(saved.count) })
        signal.send(1)
        center.post(Saved(count: 2))
        #expect(view.heard == [1, 2])
    }

    @Test("Rule 41: what is sent and posted elsewhere hops, in order")
    func hops() async {
        let (view, log, station) = (View(), Log(), Station())
        let views = ObservationController(observer: view)
        let logs = ObservationController(observer: log)
        let stations = ObservationController(observer: station)
        views.observe(signal, on: .mainActor { view, value in view.heard.append(value) })
        logs.observe(signal, on: .globalActor(Archive.self) { @Archive log, value in log.heard.append(value) })
        stations.observe(signal, on: .observer { station, value in station.heard.append(value) })
        for value in 0..<100 { signal.send(value) }
        await until { await view.heard.count == 100 }
        await until { await log.heard.count == 100 }
        await until { await station.heard.count == 100 }
        #expect(await view.heard == Array(0..<100))
        #expect(await log.heard == Array(0..<100))
        #expect(await station.heard == Array(0..<100))
    }

    @Test("Rule 41: so do messages of a type, of one object")
    func messagesHop() async {
        let (log, station, sender) = (Log(), Station(), Plain())
        let logs = ObservationController(observer: log)
        let stations = ObservationController(observer: station)
        logs.observe(
            center, for: Saved.self, object: sender, on: .globalActor(Archive.self) { @Archive log, saved in log.heard.append(saved.count) }
        )
        stations.observe(center, for: Saved.self, on: .observer { station, saved in station.heard.append(saved.count) })
        for value in 0..<10 { center.post(Saved(count: value), object: value.isMultiple(of: 2) ? sender : nil) }
        await until { await station.heard.count == 10 }
        await until { await log.heard.count == 5 }
        #expect(await station.heard == Array(0..<10))
        #expect(await log.heard == [0, 2, 4, 6, 8])
    }

    @Test("Rule 45: a queue may be asked for, and posted from without waiting for itself")
    func queues() throws {
        let queue = DispatchQueue(label: "queue")
        let observer = Plain()
        let observations = ObservationController(observer: observer)
        let log = EventLog<Int>()
        let done = DispatchSemaphore(value: 0)
        observations.observe(signal, on: .queue(queue) { _, value in log.append(value) })
        observations.observe(
            center, for: Saved.self,
            on: .queue(queue) { _, saved in
                log.append(saved.count)
                done.signal()
            })
        let (signal, center) = (signal, center)
        queue.sync {
            signal.send(1)
            center.post(Saved(count: 2))
        }
        done.wait()
        try log.expect([1, 2])
    }

    @Test("Rule 46: events and messages are asynchronous sequences")
    func sequences() async {
        let observer = Plain()
        let observations = SharedObservationController(observer: observer)
        let events = observations.events(of: signal)
        let messages = observations.messages(Saved.self, from: center, buffering: .newest(1))
        signal.send(1)
        signal.send(2)
        center.post(Saved(count: 3))
        center.post(Saved(count: 4))
        observations.unobserveAll()
        #expect(await events.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await messages.reduce(into: []) { $0.append($1) } == [Saved(count: 4)])
        #expect(messages.droppedCount == 1)
    }

    /// What may not leave its thread.
    private final class Payload {
        var number: Int
        init(_ number: Int) { self.number = number }
    }

    private static func number(_ userInfo: [AnyHashable: Any]?) -> Int { (userInfo?["payload"] as? Payload)?.number ?? -1 }

    @Test("Rule 41: of a message with a name, what is read where it is posted hops, in order, and stops at removal")
    func readMessagesHop() async {
        let (view, log, station) = (View(), Log(), Station())
        let views = ObservationController(observer: view)
        let logs = ObservationController(observer: log)
        let stations = ObservationController(observer: station)
        views.observe(
            center, for: "saved", transform: { Self.number($0.userInfo) },
            on: .mainActor { view, number in
                view.heard.append(number)
            })
        logs.observe(
            center, for: nil, transform: { Self.number($0.userInfo) },
            on: .globalActor(Archive.self) { @Archive log, number in
                log.heard.append(number)
            })
        stations.observe(
            center, for: "saved", transform: { Self.number($0.userInfo) },
            on: .observer { station, number in
                station.heard.append(number)
            })
        for number in 0..<100 {
            let payload = Payload(number)
            center.post("saved", userInfo: ["payload": payload])
            // It was read while it was posted.
            payload.number = -2
        }
        await until { await view.heard.count == 100 }
        await until { await log.heard.count == 100 }
        await until { await station.heard.count == 100 }
        #expect(await view.heard == Array(0..<100))
        #expect(await log.heard == Array(0..<100))
        #expect(await station.heard == Array(0..<100))
        #expect(stations.unobserve(center, for: "saved") == 1)
        #expect(logs.unobserve(center, for: nil) == 1)
        center.post("saved", userInfo: ["payload": Payload(100)])
        await until { await view.heard.count == 101 }
        #expect(await log.heard.count == 100)
        #expect(await station.heard.count == 100)
    }

    @Test("Rule 33: what reads a message is released at removal, also in a delivery")
    func theReadingIsReleasedAtRemoval() throws {
        final class Source: Sendable { let number = 1 }
        let tracker = LifetimeTracker()
        let (view, remover) = (View(), Plain())
        let views = SharedObservationController(observer: view)
        let removers = ObservationController(observer: remover)
        let survivors = EventLog<Int>()
        removers.observe(center, for: "saved") { _, _ in
            survivors.append(tracker.survivors.count)
            views.unobserveAll()
            survivors.append(tracker.survivors.count)
        }
        func observe() {
            let source = tracker.track(Source())
            views.observe(
                center, for: "saved", transform: { _ in source.number },
                on: .mainActor { view, number in view.heard.append(number)
                })
        }
        observe()
        center.post("saved")
        #expect(survivors.events == [1, 0])
        try tracker.expectAllGone()
    }

    @Test("Rule 41: what is read on the main actor is told there at once, after what was on its way")
    @MainActor func readMessagesAtOnce() async {
        let view = View()
        let observations = ObservationController(observer: view)
        observations.observe(
            center, for: "saved", transform: { Self.number($0.userInfo) },
            on: .mainActor { view, number in
                view.heard.append(number)
            })
        let center = center
        await Threads.run { center.post("saved", userInfo: ["payload": Payload(1)]) }
        center.post("saved", userInfo: ["payload": Payload(2)])
        #expect(view.heard == [1, 2])
    }

    @Test("Rules 41 and 45: notifications of Foundation's centre likewise, also on a queue")
    func readNotificationsHop() async throws {
        let (view, log, station, plain) = (View(), Log(), Station(), Plain())
        let posted = NotificationCenter()
        let source = ObservableNotificationCenter(posted)
        let saved = Notification.Name("saved")
        let views = ObservationController(observer: view)
        let logs = ObservationController(observer: log)
        let stations = ObservationController(observer: station)
        let plains = ObservationController(observer: plain)
        let queue = DispatchQueue(label: "queue")
        let queued = EventLog<Int>()
        views.observe(
            source, for: saved, transform: { Self.number($0.userInfo) },
            on: .mainActor { view, number in view.heard.append(number)
            })
        logs.observe(
            source, for: saved, transform: { Self.number($0.userInfo) },
            on: .globalActor(Archive.self) { @Archive log, number in
                log.heard.append(number)
            })
        stations.observe(
            source, for: saved, transform: { Self.number($0.userInfo) },
            on: .observer { station, number in
                station.heard.append(number)
            })
        plains.observe(
            source, for: saved, transform: { Self.number($0.userInfo) },
            on: .queue(queue) { _, number in
                dispatchPrecondition(condition: .onQueue(queue))
                queued.append(number)
            })
        // Order is kept within an observation; what two of them have on their way to one queue has none.
        let queuedMessages = EventLog<Int>()
        plains.observe(
            center, for: "saved", transform: { Self.number($0.userInfo) }, on: .queue(queue) { _, number in queuedMessages.append(number) })
        for number in 0..<20 { posted.post(name: saved, object: nil, userInfo: ["payload": Payload(number)]) }
        center.post("saved", userInfo: ["payload": Payload(20)])
        await until { await view.heard.count == 20 }
        await until { await log.heard.count == 20 }
        await until { await station.heard.count == 20 }
        await until { queued.events.count == 20 && queuedMessages.events.count == 1 }
        #expect(await view.heard == Array(0..<20))
        #expect(await log.heard == Array(0..<20))
        #expect(await station.heard == Array(0..<20))
        try queued.expect(Array(0..<20))
        try queuedMessages.expect([20])
    }
}
