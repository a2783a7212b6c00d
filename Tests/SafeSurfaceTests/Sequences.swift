import SafeKVO
import SafeKVOEvents

/// Sequences: counts that are none, iterators that are many, tasks that are cancelled.
enum Sequences {
    static let bufferings: [ObservationBuffering] = [
        .unbounded, .newest(0), .newest(-1), .newest(.min), .newest(1), .newest(.max), .oldest(0), .oldest(-1), .oldest(.min), .oldest(1),
        .oldest(.max),
    ]

    static let mistakes = Mistakes(
        "sequences",
        bufferings.map { buffering in Mistake("a buffering: \(buffering)") { try await take(buffering) } }
            + bufferings.map { buffering in Mistake("a buffering elsewhere: \(buffering)") { try await takeElsewhere(buffering) } } + [
                Mistake("iterators that share a sequence, and outlive it") { await share() },
                Mistake("a sequence of an @Observable object, and of none") { await follow() },
                Mistake("a sequence that was never taken, one that was taken after its end, one in a task that was cancelled") {
                    await late()
                },
            ])

    @MainActor private static func take(_ buffering: ObservationBuffering) async throws {
        let (whole, all, counter, center) = (Whole(), Controllers(), Counter(), MessageCenter())
        let values = all.ofWatcher.values(of: whole, \.shared, buffering: buffering)
        let distinct = all.ofWatcher.values(of: whole, \.shared, removing: .duplicates, buffering: buffering)
        let changes = all.ofWatcher.changes(of: whole, \.shared, options: [.initial, .prior, .old, .new], buffering: buffering)
        let events = all.ofWatcher.events(of: counter, buffering: buffering)
        let messages = all.ofWatcher.messages(Note.self, from: center, buffering: buffering)
        for number in 1...10 {
            whole.shared = number
            counter.count(number)
            center.post(Note())
        }
        all.unobserveAll()
        for await _ in values {}
        for await _ in distinct {}
        for await _ in changes {}
        for await _ in events {}
        for await _ in messages {}
        for count in [values.droppedCount, changes.droppedCount, events.droppedCount, messages.droppedCount] {
            try check(count >= 0 && count <= 21, "\(count) were dropped")
        }
    }

    private static func takeElsewhere(_ buffering: ObservationBuffering) async throws {
        let (whole, shared, counter, center) = (Whole(), Controllers().shared, Counter(), MessageCenter())
        guard let watcher = shared.observer else { return }
        let values = shared.values(of: whole, \.shared, buffering: buffering)
        let distinct = whole.sharedValues(of: \.shared, removing: .duplicates { $0 == $1 }, buffering: buffering)
        let changes = shared.changes(of: whole, \.shared, options: [.initial, .prior, .old, .new], buffering: buffering)
        let others = whole.sharedChanges(of: \.sum, options: [.initial, .old], buffering: buffering)
        let events = shared.events(of: counter, buffering: buffering)
        let messages = shared.messages(Note.self, from: center, buffering: buffering)
        await Task.detached {
            for number in 1...10 {
                whole.shared = number
                counter.count(number)
                center.post(Note())
            }
            shared.unobserveAll()
        }.value
        let taking = Task.detached {
            for await _ in values {}
            for await _ in changes {}
            for await _ in events {}
            for await _ in messages {}
        }
        let cancelled = Task.detached {
            var iterator = distinct.makeAsyncIterator()
            while await iterator.next() != nil {}
            for await _ in others {}
        }
        cancelled.cancel()
        _ = await (taking.value, cancelled.value)
        for count in [values.droppedCount, changes.droppedCount, events.droppedCount, messages.droppedCount] {
            try check(count >= 0 && count <= 21, "\(count) were dropped")
        }
        withExtendedLifetime(watcher) {}
    }

    @MainActor private static func follow() async {
        let (modern, all) = (Modern(), Controllers())
        let values = all.ofWatcher.values(of: modern, \.number, removing: .duplicates, buffering: .newest(-1))
        for number in 1...3 { modern.number = number }
        all.unobserveAll()
        for await _ in values {}
        for await _ in all.ofWatcher.values(of: nil as Modern?, \.number) {}
    }

    private static func share() async {
        let (whole, all) = (Whole(), Controllers())
        func make() -> SharedObservationSequence<Int>.Iterator { all.ofWatcher.values(of: whole, \.shared).makeAsyncIterator() }
        var (first, second, third) = (make(), make(), make())
        let values = all.ofWatcher.values(of: whole, \.shared)
        var (one, other) = (values.makeAsyncIterator(), values.makeAsyncIterator())
        whole.shared = 1
        whole.shared = 2
        _ = await first.next()
        _ = await second.next(isolation: nil)
        _ = await third.next(isolation: nil)
        _ = await one.next()
        _ = await other.next()
        all.ofWatcher.invalidate()
        while await first.next() != nil {}
        while await second.next() != nil {}
        while await third.next() != nil {}
        while await one.next() != nil {}
        while await other.next() != nil {}
    }

    @MainActor private static func late() async {
        let (whole, all) = (Whole(), Controllers())
        let values = all.ofWatcher.values(of: whole, \.shared)
        let task = Task {
            var iterator = values.makeAsyncIterator()
            while await iterator.next() != nil {}
            return await iterator.next()
        }
        task.cancel()
        _ = await task.value
        for await _ in values {}
        _ = all.ofWatcher.changes(of: whole, \.shared)
        whole.shared = 1
        let nothing: Whole? = nil
        for await _ in all.ofWatcher.values(of: nothing, \.shared) {}
        for await _ in all.ofWatcher.changes(of: nothing, \.shared) {}
    }
}
