// Every form of `observe`, in each dialect: compiled, and not run.
import Observation
import SafeKVO

nonisolated class ClockProperties: KeyValueObject {
    @AtomicObserved var hour = 0
    @AtomicObserved var name = ""
    @AtomicObserved var next: ClockProperties?
}
nonisolated final class Clock: ClockProperties {}
nonisolated final class Download: ClockProperties, @unchecked Sendable {}
@Observable nonisolated final class Counter { var label = ""; init() {} }
nonisolated final class SharedFile: Sendable { let size = 0 }
nonisolated final class File { var size = 0; var parts: [File] = [] }
nonisolated final class Player { let finished = Signal<Int>(); let rewound = Signal<Void>() }
nonisolated struct CoverWanted: Message, Sendable { let title: String }
extension MessageName { nonisolated static let saved: MessageName = "saved" }

@globalActor actor Archive { static let shared = Archive() }

nonisolated final class PlainView: KeyValueObserver {
    var heard: [String] = []
    func reload() { heard = [] }
    func hourDidChange(_ change: KeyValueChange<Int>) { heard.append("\(change.newValue ?? 0)") }
    func hourDidChange(_ change: KeyValueChange<Int>, of clock: Clock) { heard.append("\(clock.hour)") }
    func titleDidChange(_ change: KeyValueChange<String>) {}
    func clockDidChange(_ change: AnyKeyValueChange) {}
    func clockDidChange(_ change: AnyKeyValueChange, of clock: Clock) {}
    func trackDidFinish(_ track: Int) {}
    func hear(_ message: NamedMessage) {}
    func coverIsWanted(_ message: CoverWanted) {}
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) {}
}

@MainActor final class MainView: @MainActor KeyValueObserver {
    var heard: [String] = []
    nonisolated init() {}
    func reload() { heard = [] }
    func hourDidChange(_ change: KeyValueChange<Int>) { heard.append("\(change.newValue ?? 0)") }
    func hourDidChange(_ change: KeyValueChange<Int>, of clock: Download) { heard.append("\(clock.hour)") }
    func clockDidChange(_ change: AnyKeyValueChange) {}
    func clockDidChange(_ change: AnyKeyValueChange, of clock: Download) {}
    func trackDidFinish(_ track: Int) {}
    func coverIsWanted(_ message: CoverWanted) {}
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { heard.append("\(context)") }
}
@Archive final class Log {
    var heard: [String] = []
    func hourDidChange(_ change: KeyValueChange<Int>) { heard.append("\(change.newValue ?? 0)") }
    nonisolated init() {}
}
nonisolated final class Meter: KeyValueObserver, Sendable {
    func write(_ value: Int) {}
    func flush() {}
    func hourDidChange(_ change: KeyValueChange<Int>) {}
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) {}
}
nonisolated func number(_ userInfo: [AnyHashable: Any]) -> Int { userInfo.count }
nonisolated final class SharedCounter: Observable, @unchecked Sendable { var count = 0 }
// What is called where the change is made.

nonisolated func here(
    _ observations: ObservationController<PlainView>, _ clock: Clock, _ player: Player, _ center: MessageCenter
) {
    // One key path.
    observations.observe(clock, \.hour) { view, hour in view.heard.append("\(hour + 1)") }
    observations.observe(clock, \.next?.hour) { view, hour in view.heard.append("\(hour ?? 0)") }
    observations.observe(clock, \.hour, removing: .duplicates, tag: "a", ifAlreadyObserved: .replace) { view, hour in
        let text = "\(hour)"
        view.heard.append(text)
    } onTermination: { reason in
        print(reason)
    }
    observations.observe(clock, \.hour, options: [.old, .new]) { view, clock, change in
        if let old = change.oldValue, let new = change.newValue { view.heard.append("\(old + new + clock.hour)") }
    }
    observations.observe(clock, \.hour) { view, clock, change in view.heard.append("\(clock.hour) \(change.newValue ?? 0)") }
    observations.observe(clock, \.hour, action: PlainView.reload)
    observations.observe(clock, \.hour, tag: "method", action: PlainView.hourDidChange(_:))
    observations.observe(clock, \.hour, tag: "both", action: PlainView.hourDidChange(_:of:))
    observations.observe(clock, \.hour, options: [.initial], context: 1)
    // Several.
    observations.observeEach(clock, [\.hour, \.name]) { view, clock, change in
        if change.keyPath == \Clock.name { view.heard.append(clock.name) }
    }
    let paths: [PartialKeyPath<Clock>] = [\.hour, \.next?.name]
    observations.observeEach(clock, paths, options: .initial, tag: "b") { view, _, change in view.heard.append("\(change.kind)") }
    observations.observeEach(clock, [\.hour, \.name], action: PlainView.reload)
    observations.observeEach(clock, [\.hour, \.name], context: 2)
    // Events.
    observations.observe(player.finished) { view, track in view.heard.append("\(track + 1)") }
    observations.observe(player.rewound) { view, _ in view.heard = [] }
    observations.observe(player.finished, tag: "3") { view, signal, track in if track > 1 { signal.send(track - 1) } }
    observations.observe(player.finished, action: PlainView.trackDidFinish(_:))
    observations.observe(player.finished, action: PlainView.reload)
    observations.observe(center, for: "saved") { view, message in view.heard.append(message.name.rawValue) }
    observations.observe(center, for: .saved, action: PlainView.reload)
    observations.observe(center, for: CoverWanted.self) { view, message in view.heard.append(message.title) }
    observations.observe(center, for: CoverWanted.self, action: PlainView.coverIsWanted(_:))
    observations.observe(center, for: CoverWanted.self, action: PlainView.reload)
    // Optional subjects, results.
    let maybe: Clock? = clock
    let result = observations.observe(maybe, \.name) { view, name in view.heard.append(name) }
    let results = observations.observeEach(maybe, [\.hour]) { _, _, _ in }
    _ = (result, results)
    observations.unobserve(clock, \.hour)
    observations.unobserveEach(clock, [\.hour, \.name], tag: "b")
    observations.unobserve(clock)
    observations.unobserve(player.finished)
    observations.unobserve(center, for: .saved, tag: nil)
    observations.unobserve(center, for: CoverWanted.self)
}

@MainActor func hereOnMainActor(
    _ observations: ObservationController<MainView>, _ clock: Clock, _ download: Download, _ player: Player, _ center: MessageCenter,
    _ file: File,
    _ counter: Counter
) {
    observations.observe(clock, \.hour) { view, hour in view.heard.append("\(hour + 1)") }
    observations.observe(clock, \.hour, options: [.old, .new]) { view, clock, change in
        view.heard.append("\(change.newValue ?? clock.hour)")
    }
    observations.observe(clock, \.hour, action: MainView.hourDidChange(_:))
    observations.observe(download, \.hour, action: MainView.hourDidChange(_:of:))
    observations.observe(clock, \.hour, context: 1)
    observations.observeEach(clock, [\.hour, \.name]) { view, clock, change in view.heard.append("\(clock.hour) \(change.kind)") }
    observations.observeEach(clock, [\.hour, \.name], action: MainView.reload)
    observations.observeEach(clock, [\.hour, \.name], context: 2)
    observations.observe(player.finished) { view, track in view.heard.append("\(track + 1)") }
    observations.observe(player.finished, action: MainView.trackDidFinish(_:))
    observations.observe(center, for: .saved) { view, message in view.heard.append("\(message.userInfo.count)") }
    observations.observe(center, for: CoverWanted.self) { view, message in view.heard.append(message.title) }
    observations.observe(center, for: CoverWanted.self, action: MainView.coverIsWanted(_:))
    observations.observe(counter, \.label) { view, label in view.heard.append(label) }
    observations.observe(counter, \.label, options: [.old, .new]) { view, counter, change in
        view.heard.append(change.oldValue ?? counter.label)
    }
    observations.poll(file, \.size, every: .seconds(1)) { view, size in view.heard.append("\(size + 1)") }
    observations.poll(file, \.size, every: .seconds(1), clock: SuspendingClock(), tag: "b") { view, size in view.heard.append("\(size)") }
    observations.poll(file, \.parts.count, every: .seconds(1), options: .old, removing: .duplicates) { view, file, change in
        view.heard.append("\(change.oldValue ?? file.size)")
    }
    observations.unobserve(counter, \.label)
    observations.unobserve(file)
}

@Archive func hereOnArchive(_ observations: ObservationController<Log>, _ clock: Clock, _ player: Player) {
    observations.observe(clock, \.hour) { log, hour in log.heard.append("\(hour + 1)") }
    observations.observe(clock, \.hour, action: Log.hourDidChange(_:))
    observations.observeEach(clock, [\.hour, \.name]) { log, clock, change in log.heard.append("\(clock.hour) \(change.kind)") }
    observations.observe(player.finished) { log, track in log.heard.append("\(track + 1)") }
}

actor Plant {
    let tank = Clock()
    let started = Signal<Int>()
    var levels: [Int] = []
    lazy var observations = ObservationController(observer: self)

    func here(_ counter: Counter) {
        observations.observe(tank, \.hour) { plant, level in plant.levels.append(level) }
        observations.observe(tank, \.hour, options: .new, tag: "change") { plant, tank, change in
            plant.levels.append(change.newValue ?? tank.hour)
        }
        observations.observeEach(tank, [\.hour, \.name], tag: "several") { plant, _, change in
            let kind = change.kind == .setting ? 1 : 0
            plant.assumeIsolated { $0.levels.append(kind) }
        }
        observations.observe(started) { plant, value in plant.assumeIsolated { $0.levels.append(value) } }
    }
}
// What is called elsewhere.

nonisolated func elsewhere(
    _ views: ObservationController<MainView>, _ logs: ObservationController<Log>, _ meters: ObservationController<Meter>,
    _ download: Download, _ signal: Signal<Int>, _ center: MessageCenter,
    _ plant: Plant
) {
    // The main actor.
    views.observe(download, \.hour, on: .mainActor { view, hour in view.heard.append("\(hour + 1)") })
    views.observe(
        download, \.hour, removing: .duplicates, tag: "a", ifAlreadyObserved: .replace,
        on: .mainActor { view, hour in
            let text = "\(hour)"
            view.heard.append(text)
        }
    ) { reason in
        print(reason)  // onTermination
    }
    views.observe(
        download, \.hour, options: [.old, .new],
        on: .mainActor { view, download, change in
            if let old = change.oldValue { view.heard.append("\(old + download.hour)") }
        })
    views.observeEach(
        download, all: \.hour, \.name,
        on: .mainActor { view, download, change in
            if change.keyPath == \Download.name { view.heard.append(download.name) }
        })
    views.observe(signal, on: .mainActor { view, value in view.heard.append("\(value + 1)") })
    views.observe(center, for: CoverWanted.self, on: .mainActor { view, message in view.heard.append(message.title) })
    views.observe(
        center, for: .saved, transform: { number($0.userInfo) }, on: .mainActor { view, number in view.heard.append("\(number + 1)") })
    // A global actor.
    logs.observe(download, \.hour, on: .globalActor(Archive.self) { @Archive log, hour in log.heard.append("\(hour + 1)") })
    logs.observe(
        download, \.hour, options: .old,
        on: .globalActor(Archive.self) { @Archive log, _, change in log.heard.append("\(change.oldValue ?? 0)") })
    logs.observeEach(
        download, all: \.hour, \.name, on: .globalActor(Archive.self) { @Archive log, _, change in log.heard.append("\(change.kind)") })
    logs.observe(signal, on: .globalActor(Archive.self) { @Archive log, value in log.heard.append("\(value + 1)") })
    logs.observe(center, for: CoverWanted.self, on: .globalActor(Archive.self) { @Archive log, message in log.heard.append(message.title) })
    // An actor that does not observe.
    views.observe(download, \.hour, on: .actor(plant) { plant, view, hour in plant.levels.append(hour) })
    views.observe(
        download, \.hour, options: .old, on: .actor(plant) { plant, view, download, change in plant.levels.append(change.oldValue ?? 0) })
    views.observe(signal, on: .actor(plant) { plant, view, value in plant.levels.append(value) })
    views.observe(center, for: CoverWanted.self, on: .actor(plant) { plant, view, message in plant.levels.append(message.title.count) })
    meters.observe(download, \.hour, on: .anyThread { meter, hour in meter.write(hour) })
    meters.observe(download, \.hour, options: .old, on: .anyThread { meter, download, change in meter.write(change.oldValue ?? 0) })
    // Methods, where it is not the main actor: a closure calls them, and the compiler looks where they belong.
    logs.observe(download, \.hour, options: .new, on: .globalActor(Archive.self) { @Archive log, _, change in log.hourDidChange(change) })
}

@MainActor func elsewhereFromMainActor(
    _ views: ObservationController<MainView>, _ download: Download, _ signal: Signal<Int>, _ center: MessageCenter
) {
    views.observe(download, \.hour, on: .mainActor { view, hour in view.heard.append("\(hour + 1)") })
    views.observe(download, \.hour, on: .mainActor(action: MainView.reload))
    views.observe(download, \.hour, on: .mainActor(action: MainView.hourDidChange(_:)))
    views.observe(download, \.hour, on: .mainActor(action: MainView.hourDidChange(_:of:)))
    views.observe(download, \.hour, on: .mainActor(context: 1))
    views.observeEach(download, all: \.hour, \.name, on: .mainActor(action: MainView.reload))
    views.observeEach(download, all: \.hour, \.name, on: .mainActor(action: MainView.clockDidChange(_:)))
    views.observeEach(download, all: \.hour, \.name, on: .mainActor(action: MainView.clockDidChange(_:of:)))
    views.observe(signal, on: .mainActor(action: MainView.trackDidFinish(_:)))
    views.observe(center, for: CoverWanted.self, on: .mainActor(action: MainView.coverIsWanted(_:)))
    views.observe(center, for: .saved, on: .mainActor(action: MainView.reload))
}

extension Plant {
    func elsewhere(_ download: Download, _ signal: Signal<Int>, _ center: MessageCenter) {
        observations.observe(download, \.hour, on: .observer { plant, level in plant.levels.append(level) })
        observations.observe(
            download, \.hour, options: .old, on: .observer { plant, _, change in plant.levels.append(change.oldValue ?? 0) })
        observations.observeEach(
            download, all: \.hour, \.name, on: .observer { plant, download, change in plant.levels.append(download.hour) })
        observations.observe(signal, on: .observer { plant, value in plant.levels.append(value) })
        observations.observe(center, for: CoverWanted.self, on: .observer { plant, message in plant.levels.append(message.title.count) })
        observations.observe(
            center, for: .saved, transform: { number($0.userInfo) }, on: .observer { plant, number in plant.levels.append(number) })
    }
}

nonisolated func pulledAnywhere(_ meters: ObservationController<Meter>, _ counter: SharedCounter, _ file: SharedFile) {
    meters.observe(counter, \.count, on: .anyThread { meter, count in meter.write(count) })
    meters.observe(counter, \.count, options: .old, on: .anyThread { meter, _, change in meter.write(change.oldValue ?? 0) })
    meters.poll(file, \.size, every: .seconds(1), on: .anyThread { meter, size in meter.write(size) })
    meters.poll(
        file, \.size, every: .seconds(1), removing: .duplicates, on: .anyThread { meter, _, change in meter.write(change.newValue ?? 0) })
}

/// A source of one's own, in a file that imports `Observation` as well.
nonisolated final class Doorbell: ObservationSource {
    let eventRegistrar = EventRegistrar<Int>()

    func ring(times: Int) { eventRegistrar.notify(times) }
}
