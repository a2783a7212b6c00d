import Dispatch
import Foundation
import SafeKVO
import SafeKVODiagnostics
import SafeKVOEvents
import SafeKVOFoundation
import SafeKVOTesting

/// Foundation's notifications, what helps tests, and diagnostics.
enum Tools {
    /// A class of Foundation's that can be observed.
    final class Record: ObservableNSObject { @Observed var number = 0 }

    static let mistakes = Mistakes(
        "notifications, diagnostics and what helps tests",
        [
            Mistake("notifications of every sort") { try await notifications() },
            Mistake("a centre that is told to begin and to end without reason") { try attachAndDetach() },
            Mistake("an NSObject with a registrar") {
                let (record, all) = (Record(), Controllers())
                all.ofWatcher.observe(record, \.number) { watcher, _ in watcher.call() }
                all.ofWatcher.observe(record, \.description) { watcher, _ in watcher.call() }
                all.ofWatcher.observe(ObservableNSObject(), \.self, options: []) { _, _, _ in }
                record.number = 1
                record.withChange(of: \.description) {}
                try check(all.calls == 4, "\(all.calls) calls")
            },
            Mistake("a log that is filled and read by its own events") { try logs() },
            Mistake("a tracker of what dies, of itself and of what was tracked twice") { try trackers() },
            Mistake("objects that are not observed") {
                for object in [Whole(), Modern(), Counter(), MessageCenter(), NSObject(), Watcher()] as [AnyObject] {
                    try expectNoObservations(on: object)
                    try expectNoObservations(on: object, fileID: "", line: .max)
                    _ = ObservationDiagnostics.observations(of: object)
                    _ = ObservationDiagnostics.observations(of: object, includingDependencies: true)
                }
            },
            Mistake("diagnostics that change what they look at") { try diagnostics() },
        ])

    @MainActor
    private static func notifications() async throws {
        let foundation = NotificationCenter()
        let (center, all, whole) = (ObservableNotificationCenter(foundation), Controllers(), Whole())
        let name = Notification.Name("x")
        let observations = all.ofWatcher
        observations.observe(center, for: name) { watcher, _ in
            watcher.call()
            foundation.post(name: Notification.Name("inner"), object: nil)
            observations.observe(center, for: nil, tag: "late") { watcher, _ in watcher.call() }
        }
        observations.observe(center, for: name, object: whole, action: Watcher.call)
        observations.observe(center, for: nil, object: whole, action: Watcher.callWithNotification)
        observations.observe(center, for: nil) { watcher, _ in watcher.call() }
        observations.observe(center) { watcher, _ in watcher.call() }
        observations.observe(center, for: Notification.Name("")) { watcher, _ in watcher.call() }
        observations.observe(
            center, for: name, transform: { $0.userInfo?.count }, tag: "main",
            on: .mainActor { watcher, _ in watcher.call()
            })
        observations.observe(
            center, for: name, transform: { _ in () }, tag: "actor",
            on: .globalActor(Archive.self) { @Archive watcher, _ in watcher.call() })
        observations.observe(
            center, for: name, transform: { _ in 1 }, tag: "queue", on: .queue(Form.queue) { watcher, _ in watcher.call() })
        all.ofDesk.observe(center, for: name, transform: { $0.name.rawValue }, tag: "desk", on: .observer { desk, _ in desk.call() })
        let refused = [
            observations.observe(
                center, for: name, transform: { _ in 1 }, on: .globalActor(Archive.self) { @MainActor watcher, _ in watcher.call() })
        ]
        try check(refused.allSatisfy { $0 == .refused(.handlerOfAnotherIsolation) }, "\(refused)")
        for object in [nil, whole, 1, "text", center, foundation] as [Any?] {
            foundation.post(name: name, object: object, userInfo: ["x": object as Any])
            foundation.post(name: Notification.Name(""), object: object)
        }
        tell(Notification(name: name), from: center)
        try check(all.calls > 10, "\(all.calls) calls")
        observations.unobserve(center, for: name)
        observations.unobserveAll(center, for: name)
        observations.unobserveAll(nil as ObservableNotificationCenter?, for: name)
        observations.unobserve(center, for: nil, object: whole, tag: "none")
        observations.unobserve(center)
        let before = all.calls
        all.unobserveAll()
        Form.queue.sync {}
        foundation.post(name: Notification.Name("y"), object: nil)
        try check(all.calls - before <= 20, "still heard")
        _ = (center.center, ObservableNotificationCenter.default)
    }

    private static func attachAndDetach() throws {
        let foundation = NotificationCenter()
        let (center, all) = (ObservableNotificationCenter(foundation), Controllers())
        nonisolated(unsafe) var info: ObservationInfo?
        final class Source: ObservationSource {
            let eventRegistrar = EventRegistrar<Int>()
            let take: (ObservationInfo) -> Void
            init(_ take: @escaping (ObservationInfo) -> Void) { self.take = take }
            func observationDidBegin(_ info: ObservationInfo) { take(info) }
        }
        let source = Source { unsafe info = $0 }
        all.ofWatcher.observe(source) { _, _ in }
        guard let info = unsafe info else { throw Broken("a source was not told") }
        for _ in 0..<3 { center.observationDidBegin(info) }
        for _ in 0..<9 { center.observationDidEnd(info) }
        all.ofWatcher.observe(center, for: nil) { watcher, _ in watcher.call() }
        foundation.post(name: Notification.Name("x"), object: nil)
        try check(all.calls == 1, "the centre has become deaf: \(all.calls) calls")
        let (counter, signal, bell) = (Counter(), Signal<Int>(), Bell())
        counter.observationDidBegin(info)
        counter.observationDidEnd(info)
        for source in [counter, signal, bell, MessageCenter(), source] as [any ObservationSource] { use(source, info) }
    }

    /// Calls what only the library calls.
    private static func use<Source: ObservationSource>(_ source: Source, _ info: ObservationInfo) {
        source.observationDidBegin(info)
        source.observationDidEnd(info)
        let watcher = Watcher()
        func observe<Observer: KeyValueObserver>(_ observer: Observer, _ context: Observer.Context) {
            observer.observeChange(AnyKeyValueChange(KeyValueChange<Int>()), of: source, context: context)
        }
        func update<Observer: SubjectObserver>(_ observer: Observer, _ subject: Observer.Subject) { observer.update(subject) }
        observe(watcher, 1)
        update(watcher, Bell())
    }

    private static func logs() throws {
        let log = EventLog<Int>()
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observe(whole, \.number) { _, number in
            log.append(number)
            if log.events.count < 5 { whole.number += 1 }
        }
        try log.expect([0, 1, 2, 3, 4])
        do {
            log.append(9)
            try log.expect([8], fileID: "", line: .max)
        } catch {
            _ = (error.description, error.expected, error.actual, error.position)
        }
        _ = (log.removeAll(), log.events)
        try log.expect([])
    }

    private static func trackers() throws {
        let tracker = LifetimeTracker()
        do {
            let whole = Whole()
            tracker.track(whole)
            tracker.track(whole, fileID: "", line: .max)
        }
        try tracker.expectAllGone()
        tracker.track(tracker)
        do { try tracker.expectAllGone() } catch { _ = (error.description, error.survivors) }
        _ = tracker.survivors
    }

    @MainActor private static func diagnostics() throws {
        let (whole, all, count) = (Whole(), Controllers(), Messages.Count())
        let shared = all.shared
        ObservationDiagnostics.isRecording = true
        let traces = [-1, 0, 5].map { ObservationTrace(limit: $0) }
        for trace in traces + traces { trace.start() }
        ObservationDiagnostics.logHandler = { entry in
            guard count.next() < 50 else { return }
            _ = (entry.description, entry.event, entry.position, entry.observation?.description)
            whole.shared += 1
            _ = ObservationDiagnostics.snapshot().mermaid
            _ = traces[2].chromeTrace
            if count.next() > 10 { traces[2].stop() }
            shared.observe(whole, \.shared, on: .anyThread { watcher, _ in watcher.call() })
        }
        ObservationDiagnostics.warningHandler = { warning in
            _ = (warning.description, warning.kind, warning.message, warning.position)
            shared.unobserve(whole, \.plain)
        }
        all.ofWatcher.observe(whole, \.plain) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(whole, \.number) { watcher, _ in watcher.call() }
        whole.number = 1
        let late = ObservationController(observer: whole)
        late.observe(whole, \.number) { _, _ in }
        let graph = ObservationDiagnostics.snapshot()
        _ = (graph.description, graph.mermaid, graph.retainCycles.count, graph.controllers.map(\.description))
        _ = (ObservationBroker.shared.counters, all.ofWatcher.debugDescription)
        for observation in all.ofWatcher.observations { _ = observation.position == observation.position }
        ObservationDiagnostics.isRecording = false
        ObservationDiagnostics.isRecording = false
        ObservationDiagnostics.logHandler = nil
        for trace in traces + traces { trace.stop() }
        _ = traces.map { ($0.chromeTrace, $0.entries, $0.omitted) }
        ObservationDiagnostics.warningHandler = nil
    }
}
