import EnduranceKit
import Foundation
import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation
import Synchronization

/// Signals, messages, notifications and delegates.
extension World {
    static let events: [Feature<World>] = [
        Feature(name: "signals") { $0.useSignals() },
        Feature(name: "message center") { $0.useMessages() },
        Feature(name: "typed messages") { $0.useTypedMessages() },
        Feature(name: "Foundation notification center") { $0.useNotifications() },
        Feature(name: "several delegates") { $0.useDelegates() },
        Feature(name: "subjects and observers") { $0.useSubjects() },
        Feature(name: "on: queue") { $0.useQueue() },
    ]

    private func useSignals() {
        let passing = Listener()
        passing.observations.observe(signal) { gauge, value in gauge.note(value) }
        let own = Signal<Int>()
        passing.observations.observe(own) { gauge, value in gauge.note(value) }
        passing.notRetaining.observe(Signal<Int>()) { gauge, value in gauge.note(value) }
        signal.send(1)
        own.send(2)
        expect(passing.calls, 3)
    }

    private func useMessages() {
        let (passing, object) = (Listener(), Song())
        // Most names are never used again.
        let name = MessageName("name \(numbers.next())")
        for center in [center, shared.center] {
            let before = passing.calls
            passing.observations.observe(center, for: name) { gauge, _ in gauge.note() }
            passing.observations.observe(center, for: name, object: object) { gauge, _ in gauge.note() }
            passing.observations.observe(center, for: nil, object: object) { gauge, _ in gauge.note() }
            center.post(name, object: object, userInfo: ["a": 1])
            center.post(name)
            expect(passing.calls - before, 4)
            passing.observations.unobserveAll(center, for: name)
        }
        // The object dies before the observer.
        do {
            let dying = Song()
            listener.observations.observe(center, for: name, object: dying) { gauge, _ in gauge.note() }
            center.post(name, object: dying)
        }
        listener.observations.unobserve(center)
    }

    private func useTypedMessages() {
        let (passing, object) = (Listener(), Song())
        passing.observations.observe(center, for: TrackPlayed.self) { gauge, message in gauge.note(message.track) }
        passing.observations.observe(center, for: TrackPlayed.self, object: object) { gauge, message in gauge.note(message.track) }
        center.post(TrackPlayed(track: 1))
        center.post(TrackPlayed(track: 10), object: object)
        center.post(.trackPlayed, userInfo: ["track": 100])
        let token = center.observation(for: TrackPlayed.self) { [gauge = passing.gauge] in gauge.note($0.track) }
        center.post(TrackPlayed(track: 1000))
        token.cancel()
        expect(passing.calls, 2121)
    }

    private func useNotifications() {
        let (passing, object) = (Listener(), Song())
        let name = Notification.Name("notification \(numbers.next())")
        passing.observations.observe(notifications, for: name) { gauge, _ in gauge.note() }
        passing.observations.observe(notifications, for: name, object: object) { gauge, _ in gauge.note() }
        foundation.post(name: name, object: object)
        foundation.post(name: name, object: nil)
        expect(passing.calls, 3)
        if numbers.below(2) == 0 { passing.observations.unobserve(notifications, for: name) }
    }

    private func useDelegates() {
        let (stays, goes) = (Speaker(), Speaker())
        delegates.add(stays)
        delegates.add(goes)
        delegates.add(Speaker())
        delegates.call { $0.didPlay(1) }
        expect(delegates.remove(goes), true)
        delegates.call { $0.didPlay(2) }
        expect([stays.calls, goes.calls], [2, 1])
        // `stays` is not removed: the next call drops it.
    }

    private func useSubjects() {
        let (one, two) = (Display(), Display())
        thermometer.attach(one)
        thermometer.attach(two)
        thermometer.notify()
        expect(thermometer.detach(one), true)
        thermometer.notify()
        expect([one.calls, two.calls], [1, 2])
    }

    private func useQueue() {
        let gauge = Gauge()
        let observations = ObservationController(observer: gauge)
        let meter = Meter()
        observations.observe(meter, \.level, options: .new, on: .queue(shared.queue) { gauge, _, _ in gauge.note() })
        let own = Signal<Int>()
        observations.observe(own, on: .queue(shared.queue) { gauge, _ in gauge.note() })
        // If another thread sends at the same time, that thread may hand over this value, later.
        observations.observe(shared.signal, on: .queue(shared.queue) { gauge, _ in gauge.note() })
        own.send(1)
        for level in 1...5 { meter.level = level }
        shared.signal.send(1)
        // What arrives while a job delivers what came before gets a second job.
        shared.queue.sync {}
        shared.queue.sync {}
        expect(gauge.calls.load(ordering: .relaxed) >= 6, true)
    }
}
