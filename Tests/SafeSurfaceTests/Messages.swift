import Dispatch
import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation
import SafeKVOTesting
import Synchronization

/// Messages, signals, delegates and subjects: decoders that come back, names that are none, observers that are one another.
enum Messages {
    struct Unreadable: Error {}
    struct Other: Message, Sendable {}

    static let mistakes = Mistakes(
        "messages, signals, delegates and subjects",
        [
            Mistake("decoders that post, register, remove and replace themselves") { try decoders() },
            Mistake("a provider that posts, and replaces itself") { try provider() },
            Mistake("decoders that throw, and say that they make another type") { throwing() },
            Mistake("a centre observed as a source, as names, as objects and as types at once") { try everyWay() },
            Mistake("posting within posting, a hundred deep") { try nested() },
            Mistake("tokens that are cancelled again and again, within their handlers") { try tokens() },
            Mistake("a centre that goes in its own message") { try centreGoes() },
            Mistake("signals within signals") { try signals() },
            Mistake("delegates that add, remove and call within a call") { try delegates() },
            Mistake("subjects and observers that are attached twice, to each other, and to themselves") { try subjects() },
            Mistake("sources elsewhere, and handlers of another isolation") { try elsewhere() },
        ])

    private static func decoders() throws {
        let (center, all) = (MessageCenter(), Controllers())
        let (count, shared) = (Count(), all.shared)
        center.setDecoder(
            MessageDecoder { raw in
                if count.next() < 50 {
                    center.post("x", userInfo: ["again": true])
                    center.post(Note(text: "from the decoder"))
                    shared.observe(center, for: Note.self, tag: "inner", on: .anyThread { watcher, _ in watcher.call() })
                    center.setDecoder(nil, for: "x")
                    center.setDecoder(MessageDecoder { _ in Note(text: "another") }, for: "x")
                }
                return Note(text: raw.name.rawValue)
            }, for: "x")
        all.ofWatcher.observe(center, for: Note.self) { watcher, _ in watcher.call() }
        for _ in 0..<10 { center.post("x") }
        try check(all.calls > 10, "\(all.calls) calls")
    }

    final class Count: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    private static func provider() throws {
        let (center, all, count) = (MessageCenter(), Controllers(), Count())
        center.decoderProvider = { name in
            if count.next() < 20 {
                center.post(name)
                center.post("other")
                center.setDecoder(MessageDecoder { _ in Note() }, for: "third")
                center.decoderProvider = center.decoderProvider
            }
            return name == "none" ? nil : MessageDecoder { _ in Note(text: name.rawValue) }
        }
        all.ofWatcher.observe(center, for: Note.self) { watcher, _ in watcher.call() }
        for name in ["x", "none", "", "x"] as [MessageName] { center.post(name) }
        center.decoderProvider = nil
        center.decoderProvider = nil
        center.post("x")
        try check(all.calls > 2, "\(all.calls) calls")
    }

    private static func throwing() {
        let (center, all, count) = (MessageCenter(), Controllers(), Count())
        ObservationDiagnostics.warningHandler = { warning in
            guard count.next() < 20 else { return }
            center.post("warned", userInfo: ["of": warning.description])
            center.post("x")
        }
        center.setDecoder(MessageDecoder(Note.self, fileID: "", line: .max) { _ in throw Unreadable() }, for: "x")
        all.ofWatcher.observe(center, for: Note.self) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(center, for: Other.self) { watcher, _ in watcher.call() }
        center.post("x")
        center.post(Other())
        ObservationDiagnostics.warningHandler = nil
    }

    @MainActor private static func everyWay() throws {
        let (center, all, whole) = (MessageCenter(), Controllers(), Whole())
        let observations = all.ofWatcher
        let raw = EventLog<String>()
        observations.observe(center) { _, message in raw.append("source \(message.name)") }
        observations.observe(center, tag: "again") { _, _, message in raw.append("again \(message.name)") }
        observations.observe(center, for: nil, tag: "every") { _, message in raw.append("every \(message.name)") }
        observations.observe(center, for: "x", object: whole) { _, message in raw.append("x \(message.name)") }
        observations.observe(center, for: nil, object: whole) { _, message in raw.append("object \(message.name)") }
        observations.observe(center, for: "x", action: Watcher.call)
        observations.observe(center, for: "y", action: Watcher.callWithRaw)
        observations.observe(center, for: Note.self) { watcher, _ in watcher.call() }
        observations.observe(center, for: Note.self, tag: "a", action: Watcher.call)
        observations.observe(center, for: Note.self, tag: "b", action: Watcher.callWithNote)
        observations.observe(center, for: Other.self, object: center) { watcher, _ in watcher.call() }
        tell(NamedMessage(name: "told", object: whole), from: center)
        center.post("x", object: whole)
        center.post("x", object: center, userInfo: ["x": center])
        center.post(NamedMessage(name: "", object: nil))
        center.post("")
        center.post(Note(), object: whole)
        center.post(Other(), object: center)
        MessageCenter.default.post(Note())
        try check(["every x", "x x", "object x"].allSatisfy(raw.events.contains), "\(raw.events)")
        try check(observations.unobserve(center, for: "x") == 1 && observations.unobserve(center, for: Note.self, tag: "a") == 1, "removed")
        observations.unobserveAll(center, for: "x")
        observations.unobserveAll(nil as MessageCenter?, for: "")
        observations.unobserve(center)
        raw.removeAll()
        let before = all.calls
        center.post("x", object: whole)
        center.post(Note())
        try check(raw.events.isEmpty && all.calls == before, "\(raw.events), \(all.calls - before) calls after the removal")
    }

    private static func nested() throws {
        let (center, all, count) = (MessageCenter(), Controllers(), Count())
        all.ofWatcher.observe(center, for: "x") { watcher, _ in
            watcher.call()
            if count.next() < 100 { center.post("x") }
        }
        center.post("x")
        try check(all.calls == 100, "\(all.calls) calls")
    }

    @MainActor private static func tokens() throws {
        let center = MessageCenter()
        let state = State()
        state.token = center.observation(for: "x") { _ in
            state.calls += 1
            state.token?.cancel()
            state.token = nil
            state.token?.cancel()
        }
        let typed = center.observation(for: Note.self, object: center) { _ in state.calls += 1 }
        _ = center.observation(for: nil) { _ in state.calls += 100 }
        center.post("x")
        center.post("x")
        center.post(Note(), object: center)
        typed.cancel()
        typed.cancel()
        center.post(Note(), object: center)
        try check(state.calls == 2, "\(state.calls) calls")
        // Without an isolation, the handler is `Sendable`.
        func count() -> Int {
            let (count, counter) = (Count(), Signal<Int>())
            let token = counter.observation { number in if count.next() < number { counter.send(number) } }
            counter.send(9)
            token.cancel()
            // The handler of a source that is not shared need not be.
            let source = Counter()
            var heard: [Int] = []
            let plain = source.observation { number in heard.append(number) }
            source.count(heard.count)
            plain.cancel()
            source.count(1)
            return count.next() + heard.count - 1
        }
        let counted = count()
        try check(counted == 10, "\(counted)")
    }

    /// What the handlers of a test on the main actor share.
    @MainActor private final class State {
        var calls = 0
        var token: ObservationToken?
        var center: MessageCenter?
    }

    @MainActor private static func centreGoes() throws {
        let all = Controllers(retaining: false)
        let state = State()
        state.center = MessageCenter()
        state.token = state.center?.observation(for: "x") { _ in state.center = nil }
        all.ofWatcher.observe(state.center, for: "x") { watcher, _ in watcher.call() }
        all.ofWatcher.observe(state.center, for: Note.self) { watcher, _ in watcher.call() }
        state.center?.post("x")
        state.token?.cancel()
        try check(state.center == nil && all.calls == 1, "\(all.calls) calls")
    }

    @MainActor private static func signals() throws {
        let (signal, plain, all, count) = (Signal<Int>(), Signal<Void>(), Controllers(), Count())
        all.ofWatcher.observe(signal) { watcher, number in
            watcher.call()
            if count.next() < 50 { signal.send(number + 1) }
            plain.send()
            all.ofWatcher.observe(signal, tag: ObservationTag("\(number)")) { watcher, _ in watcher.call() }
        }
        all.ofWatcher.observe(plain, action: Watcher.call)
        all.ofWatcher.observe(signal, tag: "number", action: Watcher.callWithNumber)
        signal.send(.max - 100)
        tell(1, from: signal)
        tell((), from: plain)
        try check(all.calls > 100, "\(all.calls) calls")
        try check(all.ofWatcher.unobserve(signal) > 2 && all.ofWatcher.unobserve(plain, for: nil) == 1, "removed")
    }

    private static func delegates() throws {
        let delegates = MulticastDelegate<Watcher>()
        let watchers = (0..<5).map { _ in Watcher() }
        for watcher in watchers + watchers { _ = delegates.add(watcher) }
        delegates.call { watcher in
            watcher.call()
            delegates.remove(watcher)
            delegates.remove(watcher)
            delegates.call { $0.call() }
            if watcher === watchers[0] { delegates.add(Watcher()) }
        }
        delegates.call { _ in }
        try check(watchers.map { $0.calls.load(ordering: .relaxed) } == [1, 2, 3, 4, 5], "the calls")
        let values = MulticastDelegate<any Sendable>()
        values.add(1)
        values.add("two")
        values.remove(1)
        values.call { _ in }
    }

    private static func subjects() throws {
        let (bell, watcher) = (Bell(), Watcher())
        try check(bell.attach(watcher) == .added && bell.attach(watcher) == .alreadyObserved, "attached twice")
        bell.ring()
        bell.notify()
        try check(bell.detach(watcher) && !bell.detach(watcher), "detached twice")
        bell.notify()
        try check(watcher.calls.load(ordering: .relaxed) == 2, "the calls")
        let every = EverySubject()
        bell.attach(every)
        every.attach(every)
        every.notify()
        bell.notify()
        try check(every.updates == 2, "\(every.updates) updates")
        do { bell.attach(EverySubject()) }
        bell.notify()
    }

    /// An observer of all subjects, itself one.
    final class EverySubject: SubjectObserver, ObservableSubject {
        let eventRegistrar = EventRegistrar<Void>()
        private(set) var updates = 0
        func update(_ subject: any ObservableSubject) {
            updates += 1
            subject.attach(self)
            _ = subject.detach(self)
            subject.attach(self)
        }
    }

    @MainActor
    private static func elsewhere() throws {
        let (counter, center, all) = (Counter(), MessageCenter(), Controllers())
        let refused = ObservationResult.refused(.handlerOfAnotherIsolation)
        let results = [
            all.ofWatcher.observe(counter, on: .globalActor(Archive.self) { @MainActor watcher, _ in watcher.call() }),
            all.ofWatcher.observe(center, for: Note.self, on: .globalActor(Archive.self) { @MainActor watcher, _ in watcher.call() }),
            all.ofWatcher.observe(
                center, for: nil, transform: { _ in 1 }, on: .globalActor(Archive.self) { @MainActor watcher, _ in watcher.call() }),
            all.ofWatcher.observe(Whole(), \.number, on: .globalActor(Archive.self) { @MainActor watcher, _ in watcher.call() }),
        ]
        for (index, result) in results.enumerated() { try check(result == refused, "\(index): \(result)") }
        all.ofWatcher.observe(counter, on: .mainActor { watcher, _ in watcher.call() })
        all.ofWatcher.observe(counter, tag: "queue", on: .queue(Form.queue) { watcher, _ in watcher.call() })
        all.ofWatcher.observe(counter, tag: "action", on: .mainActor(action: Watcher.call))
        all.ofWatcher.observe(counter, tag: "event", on: .mainActor(action: Watcher.callWithNumber))
        all.ofWatcher.observe(counter, tag: "actor", on: .globalActor(Archive.self) { @Archive watcher, _ in watcher.call() })
        all.ofDesk.observe(counter, on: .observer { desk, _ in desk.call() })
        all.ofWatcher.observe(
            center, for: nil, transform: { counter.count($0.userInfo.count) },
            on: .mainActor { watcher, _ in watcher.call()
            })
        counter.count(1)
        center.post("x")
        all.unobserveAll()
        Form.queue.sync {}
    }
}
