import EnduranceKit
import Foundation
import Observation
import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Synchronization

/// What needs asynchronous code: one of these runs on the main actor, one on no actor.
struct AsynchronousFeature: Sendable {
    let name: String
    let run: @Sendable (SharedWorld) async -> Void

    static let all: [AsynchronousFeature] = [
        AsynchronousFeature(name: "sequences") { await Self.takeValues($0) },
        AsynchronousFeature(name: "sequences that are cancelled") { await Self.cancel($0) },
        AsynchronousFeature(name: "sequences of events") { await Self.takeEvents($0) },
        AsynchronousFeature(name: "awaited values") { await Self.awaitValues($0) },
        AsynchronousFeature(name: "on: main actor") { await Self.hopToMainActor($0) },
        AsynchronousFeature(name: "on: actor and global actor") { await Self.hopToActors($0) },
        AsynchronousFeature(name: "observing actors") { await Self.observeByActors($0) },
        AsynchronousFeature(name: "polls") { await Self.poll($0) },
        AsynchronousFeature(name: "polls with a clock of milliseconds") { await Self.pollQuickly($0) },
        AsynchronousFeature(name: "main actor classes") { await Self.useMainActor($0) },
        AsynchronousFeature(name: "Swift's Observation") { await Self.useObservable($0) },
    ]

    private static func expect<Value: Equatable>(_ shared: SharedWorld, _ value: Value, _ expected: Value, line: UInt = #line) {
        if value != expected { shared.mistakes.add("Tasks.swift:\(line): \(value) instead of \(expected)") }
    }

    private static func takeValues(_ shared: SharedWorld) async {
        let (gauge, meter) = (Gauge(), Meter())
        let observations = SharedObservationController(observer: gauge)
        let levels = observations.values(of: meter, \.level)
        let changes = observations.changes(of: meter, \.level, options: [.old, .new], buffering: .newest(2))
        for level in 1...5 { meter.level = level }
        var sum = 0
        for await level in levels {
            sum += level
            if level == 5 { break }
        }
        var count = 0
        for await change in changes {
            count += 1
            if change.newValue == 5 { break }
        }
        expect(shared, [sum, count], [15, 2])
    }

    private static func cancel(_ shared: SharedWorld) async {
        let gauge = Gauge()
        let observations = SharedObservationController(observer: gauge)
        let levels = observations.values(of: shared.meter, \.level)
        let task = Task { for await level in levels where level == .min { return } }
        shared.meter.level &+= 1
        await Task.yield()
        task.cancel()
        await task.value
        // This one ends because its observer does.
        let changes = observations.changes(of: shared.meter, \.limit)
        let other = Task { for await _ in changes {} }
        withExtendedLifetime(observations) {}
        observations.invalidate()
        await other.value
    }

    private static func takeEvents(_ shared: SharedWorld) async {
        let gauge = Gauge()
        let observations = ObservationController(observer: gauge)
        let center = MessageCenter()
        let signal = Signal<Int>()
        let (events, messages) = (observations.events(of: signal), observations.messages(TrackPlayed.self, from: center))
        for number in 1...3 {
            signal.send(number)
            center.post(TrackPlayed(track: number))
        }
        var sum = 0
        for await event in events {
            sum += event
            if event == 3 { break }
        }
        for await message in messages {
            sum += message.track
            if message.track == 3 { break }
        }
        expect(shared, sum, 12)
    }

    @MainActor private static func awaitValues(_ shared: SharedWorld) async {
        let (gauge, meter) = (Gauge(), Meter())
        let observations = ObservationController(observer: gauge)
        let task = Task { for level in 1...3 { meter.level = level } }
        let value = try? await observations.value(of: meter, \.level) { $0 >= 3 }
        await task.value
        expect(shared, value, 3)
        // A wait that is cancelled.
        let waiting = Task {
            let observations = ObservationController(observer: gauge)
            return try? await observations.value(of: meter, \.level) { $0 > 100 }
        }
        await Task.yield()
        waiting.cancel()
        expect(shared, await waiting.value, nil)
    }

    private static func hopToMainActor(_ shared: SharedWorld) async {
        let (gauge, meter) = (Gauge(), Meter())
        let observations = ObservationController(observer: gauge)
        observations.observe(meter, \.level, options: .new, on: .mainActor { gauge, _, _ in gauge.note() })
        let own = Signal<Int>()
        observations.observe(own, on: .mainActor { gauge, _ in gauge.note() })
        // If another thread sends at the same time, that thread may hand over this value, later.
        observations.observe(shared.signal, on: .mainActor { gauge, _ in gauge.note() })
        own.send(1)
        for level in 1...4 { meter.level = level }
        shared.signal.send(1)
        // Not all of these changes are delivered: the observation ends meanwhile.
        observations.observe(meter, \.limit, on: .mainActor { gauge, _ in gauge.note() })
        meter.limit = 1
        observations.unobserve(meter, \.limit)
        // What arrives while a job delivers what came before gets a second job.
        await MainActor.run {}
        await MainActor.run {}
        let calls = gauge.calls.load(ordering: .relaxed)
        if calls < 5 { expect(shared, calls, 5) }
    }

    private static func hopToActors(_ shared: SharedWorld) async {
        let (gauge, meter, station) = (Gauge(), Meter(), Station())
        let observations = ObservationController(observer: gauge)
        observations.observe(meter, \.level, initial: false, on: .actor(station) { station, _, level in station.note(level) })
        observations.observe(
            meter, \.level, initial: false, tag: "archive", on: .globalActor(Archive.self) { @Archive gauge, _ in gauge.note() })
        for level in 1...3 { meter.level = level }
        await Archive.run {}
        _ = await station.heard
    }

    private static func observeByActors(_ shared: SharedWorld) async {
        let station = Station()
        await station.follow(shared.meter, times: 5)
        shared.meter.level &+= 1
        expect(shared, await station.heard >= 5, true)
        await station.stop()
    }

    private static func poll(_ shared: SharedWorld) async {
        let (clock, station) = (SteppedClock(), Station())
        await station.poll(clock)
        try? await clock.waitForSleepers(1)
        await station.rate(5)
        clock.advance(by: .milliseconds(1))
        try? await clock.waitForSleepers(1)
        expect(shared, await station.heard, 2)
        await station.stop()
    }

    private static func pollQuickly(_ shared: SharedWorld) async {
        let station = Station()
        await station.poll(ContinuousClock())
        await station.rate(3)
        // The poll is under way when the actor goes.
        try? await Task.sleep(for: .milliseconds(1))
    }

    @MainActor private static func useMainActor(_ shared: SharedWorld) async {
        let (model, label) = (Model(), Label())
        label.observations.observe(model, \.count) { label, count in label.text = "\(count)" }
        label.observations.observe(model, \.isHigh, removing: .duplicates) { label, _ in label.note() }
        label.observations.observe(shared.meter, \.level, options: .new, on: .mainActor(action: Label.note))
        withObservationTracking {
            _ = model.isHigh
        } onChange: {
        }
        for count in 0..<20 { model.count = count }
        shared.meter.level &+= 1
        expect(shared, label.text, "19")
        expect(shared, label.calls >= 3, true)
        await Task.yield()
    }

    @MainActor private static func useObservable(_ shared: SharedWorld) async {
        let (counter, label) = (Counter(), Label())
        label.observations.observe(counter, \.text) { label, text in label.text = text }
        label.observations.onChange(of: counter, \.count) { label, _, _ in label.note() }
        for count in 1...4 { counter.count = count }
        await Task.yield()
        label.observations.unobserve(counter)
        expect(shared, label.calls >= 3, true)
    }
}

extension Archive {
    static func run(_ body: @Archive @Sendable () -> Void) async { await body() }
}
