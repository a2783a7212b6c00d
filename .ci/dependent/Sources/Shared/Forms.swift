// What the cells leave out, in each dialect: polls, `@Observable` objects, further arguments, removals. Compiled, and not run.
import Observation
import SafeKVO
import SafeKVOEvents

nonisolated class ClockProperties: KeyValueObject {
    @AtomicObserved var hour = 0
    @AtomicObserved var name = ""
    @Observed var next: ClockProperties?
}
nonisolated final class Clock: ClockProperties {}
nonisolated final class SharedClock: ClockProperties, @unchecked Sendable {}
@Observable nonisolated final class Counter { var label = ""; init() {} }
nonisolated final class SharedCounter: Observable, @unchecked Sendable { var count = 0 }
nonisolated final class File { var size = 0; var parts: [File] = [] }
nonisolated final class SharedFile: Sendable { let size = 0 }
nonisolated final class Player { let finished = Signal<Int>() }

nonisolated func furtherArguments(_ observations: ObservationController<PlainListener>, _ clock: Clock) {
    observations.observe(clock, \.next?.hour, removing: .duplicates, tag: "a", ifAlreadyObserved: .replace) { view, hour in
        let text = "\(hour ?? 0)"
        view.hear(text)
    } onTermination: { reason in
        print(reason)
    }
    observations.observe(clock, \.hour, options: [.old, .new], removing: .duplicates { $0 / 10 == $1 / 10 }) { view, clock, change in
        if let old = change.oldValue, let new = change.newValue { view.hear("\(old + new + clock.hour)") }
    }
    let paths: [PartialKeyPath<Clock>] = [\.hour, \.next?.name]
    observations.observeEach(clock, paths, options: .initial, tag: "b") { view, clock, change in
        if change.keyPath == \Clock.hour { view.hear("\(clock.hour)") }
    }
    let maybe: Clock? = clock
    let result = observations.observe(maybe, \.name) { view, name in view.hear(name) }
    let results = observations.observeEach(maybe, [\.hour]) { _, _, _ in }
    _ = (result, results)
}

nonisolated func removals(_ observations: ObservationController<MainListener>, _ clock: Clock, _ player: Player, _ center: MessageCenter) {
    observations.unobserve(clock, \.hour)
    observations.unobserveEach(clock, [\.hour, \.name], tag: "b")
    observations.unobserve(clock)
    observations.unobserve(player.finished)
    observations.unobserve(center, for: .saved, tag: nil)
    observations.unobserve(center, for: CoverWanted.self)
}

@MainActor func pulled(_ observations: ObservationController<MainListener>, _ counter: Counter, _ file: File) {
    observations.observe(counter, \.label) { view, label in view.hear(label) }
    observations.observe(counter, \.label, options: [.old, .new]) { view, counter, change in view.hear(change.oldValue ?? counter.label) }
    observations.onChange(of: counter, \.label) { view, old, new in view.hear(old + new) }
    observations.poll(file, \.size, every: .seconds(1)) { view, size in view.hear("\(size)") }
    observations.poll(file, \.size, every: .seconds(1), clock: SuspendingClock(), tag: "b") { view, size in view.hear("\(size)") }
    observations.poll(file, \.parts.count, every: .seconds(1), initial: false, removing: .duplicates(by: ==)) { view, count in
        view.hear("\(count)")
    }
    observations.unobserve(counter, \.label)
    observations.unobserve(file)
}

nonisolated func pulledAnywhere(_ observations: SharedObservationController<SharedListener>, _ counter: SharedCounter, _ file: SharedFile) {
    observations.observe(counter, \.count, on: .anyThread { log, count in log.hear("\(count)") })
    observations.observe(counter, \.count, options: .old, on: .anyThread { log, _, change in log.hear("\(change.oldValue ?? 0)") })
    observations.poll(file, \.size, every: .seconds(1), on: .mainActor { log, size in log.hear("\(size)") })
    observations.poll(
        file, \.size, every: .seconds(1), initial: false, removing: .duplicates, tag: "b",
        on: .anyThread { log, size in log.hear("\(size)") })
}

nonisolated func furtherArgumentsElsewhere(_ observations: ObservationController<MainListener>, _ clock: SharedClock) {
    observations.observe(
        clock, \.hour, removing: .duplicates, tag: "a", ifAlreadyObserved: .replace,
        on: .mainActor { view, hour in
            let text = "\(hour)"
            view.hear(text)
        }
    ) { reason in
        print(reason)  // onTermination
    }
    observations.observeEach(
        clock, all: \.hour, \.name,
        on: .mainActor { view, clock, change in
            if change.keyPath == \SharedClock.name { view.hear(clock.name) }
        })
}

// MARK: The places where an actor registers its own handlers

actor Gardener {
    private let subject = PlainSubject()
    private var heard: [String] = []
    private lazy var observations = ObservationController(observer: self)

    init() async {
        observations.observe(subject, \.number) { gardener, number in gardener.heard.append("\(number)") }
    }

    func start() {
        observations.observe(subject, \.name, options: .new, tag: "inside") { gardener, subject, _ in
            gardener.observations.onChange(of: subject, \.number) { gardener, old, new in gardener.heard.append("\(new - old)") }
        }
        followNames(observations, subject, for: self)
    }

    func later() async {
        await Task.yield()
        observations.onChange(of: subject, \.name, tag: "later") { gardener, old, new in gardener.heard.append(old + new) }
    }

    fileprivate func hear(_ name: String) { heard.append(name) }
}

/// A helper of an actor takes it as an `isolated` parameter.
private func followNames(_ observations: ObservationController<Gardener>, _ subject: PlainSubject, for gardener: isolated Gardener) {
    observations.observe(subject, \.name) { gardener, name in gardener.hear(name) }
}
