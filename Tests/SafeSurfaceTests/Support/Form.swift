import Dispatch
import SafeKVO
import SafeKVOFoundation

/// A way to begin observing a key path: one of those that take options or one of those that hand over a value.
struct Form: Sendable {
    let name: String
    /// Whether calls before the change cannot be asked for.
    let isElsewhere: Bool
    /// Whether what is told hops to another isolation, and keeps the object on its way.
    private(set) var isHopping = false
    /// Whether the form is for an actor that observes, and so is refused outside that actor.
    private(set) var isOfTheDesk = false
    let begin: @MainActor @Sendable (Controllers, Whole?, KeyValueObservingOptions) -> [ObservationResult]

    init(
        _ name: String, elsewhere: Bool = false,
        _ begin: @escaping @MainActor @Sendable (Controllers, Whole?, KeyValueObservingOptions) -> [ObservationResult]
    ) {
        self.name = name
        isElsewhere = elsewhere
        self.begin = begin
    }

    static let queue = DispatchQueue(label: "SafeSurfaceTests")

    static let all = here + several + elsewhere.map { $0.hopping() } + pulled

    private func hopping() -> Form {
        var form = self
        form.isHopping = true
        return form
    }

    private func ofTheDesk() -> Form {
        var form = self
        form.isOfTheDesk = true
        return form
    }

    private static let here = [
        Form("change") { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options) { watcher, _, _ in watcher.call() }]
        },
        Form("value") { all, whole, _ in [all.ofWatcher.observe(whole, \.number) { watcher, _ in watcher.call() }] },
        Form("pair") { all, whole, _ in [all.ofWatcher.onChange(of: whole, \.number) { watcher, _, _ in watcher.call() }] },
        Form("pair on any thread") { all, whole, _ in
            [all.ofWatcher.onChange(of: whole, \.number, on: .anyThread { watcher, _, _ in watcher.call() })]
        },
        Form("context") { all, whole, options in [all.ofWatcher.observe(whole, \.number, options: options, context: 1)] },
        Form("action") { all, whole, _ in [all.ofWatcher.observe(whole, \.number, action: Watcher.call)] },
        Form("action with the value") { all, whole, _ in [all.ofWatcher.observe(whole, \.number, action: Watcher.callWithNumber)] },
        Form("action with the change") { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, action: Watcher.callWithChange)]
        },
        Form("action with the object") { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, action: Watcher.callWithBoth)]
        },
        Form("change on any thread") { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .anyThread { watcher, _, _ in watcher.call() })]
        },
        Form("value on any thread") { all, whole, _ in
            [all.ofWatcher.observe(whole, \.number, on: .anyThread { watcher, _ in watcher.call() })]
        },
        Form("change of a shared controller") { all, whole, options in
            [all.shared.observe(whole, \.number, options: options, on: .anyThread { watcher, _, _ in watcher.call() })]
        },
        Form("value of a shared controller") { all, whole, _ in
            [all.shared.observe(whole, \.number, removing: .duplicates, on: .anyThread { watcher, _ in watcher.call() })]
        },
    ]

    private static let several = [
        Form("key paths") { all, whole, options in
            all.ofWatcher.observeEach(whole, [\.number, \.sum, \.self], options: options) { watcher, _, _ in watcher.call() }
        },
        Form("key paths, context") { all, whole, options in
            all.ofWatcher.observeEach(whole, [\.number, \.number], options: options, context: 1)
        },
        Form("key paths, action") { all, whole, options in
            all.ofWatcher.observeEach(whole, [\.number], options: options, action: Watcher.call)
        },
        Form("no key paths") { all, whole, options in
            let none: [PartialKeyPath<Whole>] = []
            return all.ofWatcher.observeEach(whole, none, options: options) { watcher, _, _ in watcher.call() }
                + all.ofWatcher.observeEach(whole, none, options: options, context: 1)
                + all.ofWatcher.observeEach(whole, none, options: options, action: Watcher.call)
        },
    ]

    private static let elsewhere = [
        Form("change on the main actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .mainActor { watcher, _, _ in watcher.call() })]
        },
        Form("value on the main actor") { all, whole, _ in
            [all.ofWatcher.observe(whole, \.number, on: .mainActor { watcher, _ in watcher.call() })]
        },
        Form("action on the main actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .mainActor(action: Watcher.call))]
        },
        Form("action with the change on the main actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .mainActor(action: Watcher.callWithChange))]
        },
        Form("action with the object on the main actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .mainActor(action: Watcher.callWithBoth))]
        },
        Form("context on the main actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .mainActor(context: 1))]
        },
        Form("key paths on the main actor", elsewhere: true) { all, whole, options in
            all.ofWatcher.observeEach(whole, all: \.number, \.sum, options: options, on: .mainActor { watcher, _, _ in watcher.call() })
        },
        Form("key paths, context on the main actor", elsewhere: true) { all, whole, options in
            all.ofWatcher.observeEach(whole, all: \.number, \.sum, options: options, on: .mainActor(context: 1))
        },
        Form("change on a global actor", elsewhere: true) { all, whole, options in
            [
                all.ofWatcher.observe(
                    whole, \.number, options: options, on: .globalActor(Archive.self) { @Archive watcher, _, _ in watcher.call() })
            ]
        },
        Form("value on a global actor") { all, whole, _ in
            [all.ofWatcher.observe(whole, \.number, on: .globalActor(Archive.self) { @Archive watcher, _ in watcher.call() })]
        },
        Form("change on an actor", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .actor(all.desk) { _, watcher, _, _ in watcher.call() })]
        },
        Form("value on an actor") { all, whole, _ in
            [all.ofWatcher.observe(whole, \.number, on: .actor(all.desk) { _, watcher, _ in watcher.call() })]
        },
        Form("change in an actor") { all, whole, options in
            [all.ofDesk.observe(whole, \.number, options: options) { desk, _, _ in desk.call() }]
        }.ofTheDesk(),
        Form("value in an actor") { all, whole, _ in [all.ofDesk.observe(whole, \.number) { desk, _ in desk.call() }] }.ofTheDesk(),
        Form("pair in an actor") { all, whole, _ in [all.ofDesk.onChange(of: whole, \.number) { desk, _, _ in desk.call() }] }.ofTheDesk(),
        Form("change hopping to an actor", elsewhere: true) { all, whole, options in
            [all.ofDesk.observe(whole, \.number, options: options, on: .observer { desk, _, _ in desk.call() })]
        },
        Form("value hopping to an actor") { all, whole, _ in
            [all.ofDesk.observe(whole, \.number, on: .observer { desk, _ in desk.call() })]
        },
        Form("change on a queue", elsewhere: true) { all, whole, options in
            [all.ofWatcher.observe(whole, \.number, options: options, on: .queue(queue) { watcher, _, _ in watcher.call() })]
        },
        Form("value on a queue") { all, whole, _ in
            [all.ofWatcher.observe(whole, \.number, on: .queue(queue) { watcher, _ in watcher.call() })]
        },
        Form("sequence of changes") { all, whole, options in
            _ = all.ofWatcher.changes(of: whole, \.number, options: options)
            return []
        },
        Form("sequence of values") { all, whole, _ in
            _ = all.ofWatcher.values(of: whole, \.number)
            return []
        },
        Form("shared sequence of changes") { all, whole, options in
            _ = all.shared.changes(of: whole, \.number, options: options)
            _ = whole?.sharedChanges(of: \.number, options: options)
            return []
        },
        Form("shared sequence of values") { all, whole, _ in
            _ = all.shared.values(of: whole, \.number)
            _ = whole?.sharedValues(of: \.number)
            return []
        },
    ]

    private static let pulled = [
        Form("poll") { all, whole, _ in
            [all.ofWatcher.poll(whole, \.plain, every: .seconds(1000)) { watcher, _ in watcher.call() }]
        },
        Form("poll with a comparison") { all, whole, _ in
            [all.ofWatcher.poll(whole, \.plain, every: .seconds(1000), removing: .duplicates { $0 == $1 }) { watcher, _ in watcher.call() }]
        },
        Form("poll on any thread") { all, whole, _ in
            [all.ofWatcher.poll(whole, \.plain, every: .seconds(1000), on: .anyThread { watcher, _ in watcher.call() })]
        },
        Form("@Observable, change") { all, whole, options in
            let modern = whole.map { _ in Modern() }
            return [all.ofWatcher.observe(modern, \.number, options: options) { watcher, _, _ in watcher.call() }]
        },
        Form("@Observable, value") { all, whole, _ in
            [all.ofWatcher.observe(whole.map { _ in Modern() }, \.number) { watcher, _ in watcher.call() }]
        },
        Form("@Observable, pair") { all, whole, _ in
            [all.ofWatcher.onChange(of: whole.map { _ in Modern() }, \.number) { watcher, _, _ in watcher.call() }]
        },
        Form("@Observable on any thread, change", elsewhere: true) { all, whole, options in
            let modern = whole.map { _ in Modern() }
            return [all.ofWatcher.observe(modern, \.number, options: options, on: .anyThread { watcher, _, _ in watcher.call() })]
        },
        Form("@Observable on any thread, value") { all, whole, _ in
            [all.ofWatcher.observe(whole.map { _ in Modern() }, \.number, on: .anyThread { watcher, _ in watcher.call() })]
        },
    ]
}
