import Dispatch
import Foundation
import SafeKVO
import SafeKVODiagnostics
import SafeKVOEvents
import SafeKVOFoundation

/// Objects that are nil, observers that are gone or going, controllers that were invalidated, things that were never observed.
enum Nothing {
    static let mistakes = Mistakes(
        "nothing to observe, nobody to tell",
        [
            Mistake("nil, in every form") { try everyForm(nil, options: [.initial, .new]) },
            Mistake("after invalidate(), in every form") { try afterwards { $0.invalidate() } },
            Mistake("nil sources, centres and sets of key paths") { try nilSources() },
            Mistake("removing what was never observed") { removeWhatWasNot() },
            Mistake("an observer that has gone") { try observerDeinitialized() },
            Mistake("a tag that sequences might use, in every spelling") { try tags() },
            Mistake("a controller that nobody keeps") {
                let whole = Whole()
                ObservationController(observer: Watcher()).observe(whole, \.number) { _, _ in }
                whole.number = 1
            },
        ])

    @MainActor
    private static func everyForm(_ whole: Whole?, options: KeyValueObservingOptions) throws {
        let all = Controllers()
        for form in Form.all {
            for result in form.begin(all, whole, options) { try check(result == .refused(.noObject), "\(form.name): \(result)") }
        }
        try check(all.ofWatcher.observations.isEmpty, "nil is observed")
    }

    @MainActor
    private static func afterwards(_ end: (ObservationController<Watcher>) -> Void) throws {
        let (all, whole) = (Controllers(), Whole())
        end(all.ofWatcher)
        all.ofDesk.invalidate()
        all.shared.invalidate()
        for form in Form.all {
            for result in form.begin(all, whole, .new) {
                let refusal: ObservationResult.Refusal = form.isOfTheDesk ? .handlerOfAnotherIsolation : .controllerInvalidated
                try check(result == .refused(refusal), "\(form.name): \(result)")
            }
        }
        whole.number = 1
        try check(all.calls == 0, "something was heard")
    }

    @MainActor
    private static func nilSources() throws {
        let all = Controllers()
        let (counter, center, notifications): (Counter?, MessageCenter?, ObservableNotificationCenter?) = (nil, nil, nil)
        let observations = all.ofWatcher
        let name: MessageName? = nil
        var results = [
            observations.observe(counter) { _, _ in }, observations.observe(counter) { _, _, _ in },
            observations.observe(counter, action: Watcher.call), observations.observe(counter, action: Watcher.callWithNumber),
            observations.observe(counter, on: .mainActor { _, _ in }),
            observations.observe(counter, on: .globalActor(Archive.self) { @Archive _, _ in }),
            observations.observe(counter, on: .queue(Form.queue) { _, _ in }), all.ofDesk.observe(counter, on: .observer { _, _ in }),
            observations.observe(center, for: name) { _, _ in }, observations.observe(center, for: name, action: Watcher.call),
            observations.observe(center, for: name, action: Watcher.callWithRaw), observations.observe(center, for: Note.self) { _, _ in },
            observations.observe(center, for: Note.self, action: Watcher.call),
            observations.observe(center, for: Note.self, action: Watcher.callWithNote),
            observations.observe(center, for: Note.self, on: .mainActor { _, _ in }),
            observations.observe(center, for: Note.self, on: .globalActor(Archive.self) { @Archive _, _ in }),
            observations.observe(center, for: Note.self, on: .queue(Form.queue) { _, _ in }),
            all.ofDesk.observe(center, for: Note.self, on: .observer { _, _ in }),
        ]
        results += [
            observations.observe(center, for: name, transform: { _ in 1 }, on: .mainActor { _, _ in }),
            observations.observe(center, for: name, transform: { _ in 1 }, on: .globalActor(Archive.self) { @Archive _, _ in }),
            observations.observe(center, for: name, transform: { _ in 1 }, on: .queue(Form.queue) { _, _ in }),
            all.ofDesk.observe(center, for: name, transform: { _ in 1 }, on: .observer { _, _ in }),
            observations.observe(notifications, for: nil) { _, _ in }, observations.observe(notifications, for: nil, action: Watcher.call),
            observations.observe(notifications, for: nil, action: Watcher.callWithNotification),
            observations.observe(notifications, for: nil, transform: { _ in 1 }, on: .mainActor { _, _ in }),
            observations.observe(notifications, for: nil, transform: { _ in 1 }, on: .globalActor(Archive.self) { @Archive _, _ in }),
            observations.observe(notifications, for: nil, transform: { _ in 1 }, on: .queue(Form.queue) { _, _ in }),
            all.ofDesk.observe(notifications, for: nil, transform: { _ in 1 }, on: .observer { _, _ in }),
        ]
        for (index, result) in results.enumerated() { try check(result == .refused(.noObject), "\(index): \(result)") }
        _ = observations.events(of: counter)
        _ = observations.messages(Note.self, from: center)
        _ = all.shared.events(of: counter)
        _ = all.shared.messages(Note.self, from: center)
        let removed =
            observations.unobserve(counter) + observations.unobserve(counter, for: nil, tag: "x")
            + observations.unobserve(center, for: name)
            + observations.unobserve(center, for: Note.self) + observations.unobserve(notifications, for: nil)
        try check(removed == 0, "\(removed) were removed")
    }

    private static func removeWhatWasNot() {
        let observations = Controllers().ofWatcher
        let (whole, nobody): (Whole, Whole?) = (Whole(), nil)
        for object in [whole, nobody] {
            observations.unobserve(object)
            observations.unobserve(object, \.number)
            observations.unobserve(object, \.self, tag: "x")
            observations.unobserve(object, \.plain)
            observations.unobserveEach(object, [\.number, \.number, \.self, \.plain])
            observations.unobserveEach(object, [] as [PartialKeyPath<Whole>])
        }
        for modern in [Modern(), nil] {
            observations.unobserve(modern)
            observations.unobserve(modern, \.number, tag: "x")
        }
        observations.unobserve(Counter())
        observations.unobserve(Counter(), for: nil)
        observations.unobserve(Counter(), for: NoTopic(nilLiteral: ()), object: NoSender(nilLiteral: ()))
        observations.unobserve(MessageCenter(), for: "x")
        observations.unobserve(MessageCenter(), for: nil, object: whole)
        observations.unobserve(MessageCenter(), for: Note.self, object: whole)
        observations.unobserve(ObservableNotificationCenter(NotificationCenter()), for: Notification.Name(""), object: whole)
        observations.unobserve(ObservableNotificationCenter(NotificationCenter()))
        observations.unobserveAll()
        observations.unobserveAll()
        observations.invalidate()
        observations.invalidate()
    }

    private static func observerDeinitialized() throws {
        var watcher: Watcher? = Watcher()
        let observations = ObservationController(observer: watcher ?? Watcher())
        watcher = nil
        let whole = Whole()
        try check(observations.observer == nil, "the observer is there")
        try check(observations.observe(whole, \.number) { _, _ in } == .refused(.observerDeinitialized), "observe")
        try check(observations.observe(Counter()) { _, _ in } == .refused(.observerDeinitialized), "observe a source")
        try check(observations.observe(MessageCenter(), for: "x") { _, _ in } == .refused(.observerDeinitialized), "observe messages")
        _ = (observations.retainsObserved, observations.counters, observations.observations)
        whole.number = 1
    }

    /// L1: a tag of the program's own that a sequence uses as well.
    @MainActor private static func tags() throws {
        let (whole, all) = (Whole(), Controllers())
        let observations = all.ofWatcher
        for number in 0...40 {
            for name in ["sequence \(number)", "Sequence \(number)", "\(number)", ""] {
                observations.observe(whole, \.shared, tag: ObservationTag(name), on: .anyThread { _, _ in })
            }
        }
        let values = observations.values(of: whole, \.shared)
        let changes = observations.changes(of: whole, \.shared)
        func sequences() -> Int { ObservationDiagnostics.observations(of: whole).filter { $0.handler == .sequence }.count }
        try check(sequences() == 2, "a sequence has ended at once")
        for number in 0...200 { observations.unobserve(whole, \.shared, tag: ObservationTag("sequence \(number)")) }
        try check(sequences() == 2, "a tag has ended a sequence")
        var (hasher, other) = (Hasher(), Hasher())
        ObservationTag("").hash(into: &hasher)
        ObservationTag("").hash(into: &other)
        try check(hasher.finalize() == other.finalize(), "equal tags have two hashes")
        withExtendedLifetime((values, changes, all)) {}
    }
}

extension Watcher {
    func callWithNotification(_ notification: Notification) { call() }
}
