import SafeKVO

/// Tokens and observations that end themselves: ended in every place, of nothing, of what goes meanwhile.
enum Tokens {
    static let mistakes = Mistakes(
        "tokens, and observations that end themselves",
        [
            Mistake("tokens that cancel themselves and each other in their handlers") { try cancelling() },
            Mistake("a token of an object that keeps it, and of one that goes in the handler") { try going() },
            Mistake("sequences without a controller that nobody takes, and of what has gone") { await sequences() },
            Mistake("conditions that remove, register and make the change again") { try conditions() },
            Mistake("controllers that are paused and resumed in their handlers, again and again") { try pauses() },
            Mistake("values that are waited for, of nothing and in a task that was cancelled") { try await waiting() },
        ])

    @MainActor private static func cancelling() throws {
        let whole = Whole()
        var tokens: [ObservationToken] = []
        var calls = 0
        for _ in 0..<10 {
            tokens.append(
                whole.observation(of: \.number, options: [.prior, .old, .new]) { whole, _ in
                    calls += 1
                    for token in tokens { token.cancel() }
                    tokens = []
                    whole.number += 1
                })
            tokens.append(whole.observation(of: \.sum, initial: false) { _, _ in calls += 1 })
        }
        whole.number = 1
        whole.number = 2
        try check(calls == 1, "\(calls) calls")
        let token = whole.observation(
            of: \.shared, removing: .duplicates, on: .anyThread { whole, number in if number < 5 { whole.shared = number + 1 } })
        token.cancel()
        whole.shared = 1
        try check(whole.shared == 1, "\(whole.shared)")
    }

    private static func going() throws {
        final class Keeper: KeyValueObject {
            @Observed var number = 0
            var tokens: [ObservationToken] = []
        }
        var keeper: Keeper? = Keeper()
        weak let gone = keeper
        keeper.map { $0.tokens.append($0.observation(of: \.number) { keeper, _ in keeper.tokens = [] }) }
        let token = keeper?.observation(of: \.number, initial: false) { _, _ in keeper = nil }
        keeper?.number = 1
        token?.cancel()
        try check(gone == nil, "the object is kept")
    }

    @MainActor private static func sequences() async {
        var whole: Whole? = Whole()
        _ = whole?.values(of: \.shared)
        _ = whole?.changes(of: \.shared, options: [.prior, .initial])
        let values = whole?.values(of: \.shared, buffering: .newest(-1))
        let changes = whole?.changes(of: \.sum, buffering: .oldest(0))
        whole?.shared = 1
        whole = nil
        if let values { for await _ in values {} }
        if let changes { for await _ in changes {} }
    }

    @MainActor private static func conditions() throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observeOnce(
            whole, \.number,
            where: { number in
                if number < 50 { whole.number = number + 1 }
                return number > 10
            }
        ) { watcher, _ in watcher.call() }
        all.ofWatcher.observeOnce(
            whole, \.shared,
            where: { _ in
                all.unobserveAll()
                return true
            }
        ) { watcher, _ in watcher.call() }
        whole.number = 1
        try check(all.calls == 1, "\(all.calls) calls")
        all.ofWatcher.observeOnce(whole, \.shared, where: { $0 > 1 }, on: .anyThread { watcher, _ in watcher.call() })
        all.ofWatcher.observe(whole, \.number, until: { $0 < 0 }) { watcher, number in
            watcher.call()
            if number > 0 { whole.number = -1 }
        }
        whole.shared = 2
        whole.shared = 3
        whole.number = 7
        try check(all.calls == 4, "\(all.calls) calls")
    }

    private static func pauses() throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.resume()
        all.ofWatcher.observe(whole, \.number) { watcher, number in
            watcher.call()
            all.ofWatcher.pause()
            all.ofWatcher.pause()
            if number < 50 { whole.number = number + 1 }
            all.ofWatcher.resume()
            all.ofWatcher.resume()
        }
        all.ofWatcher.observe(whole, \.number, options: [.initial, .prior, .old, .new], tag: "change") { watcher, _, _ in
            watcher.call()
            all.ofWatcher.pause()
            if whole.number < 60 { whole.number += 1 }
        }
        try check(all.ofWatcher.isPaused, "the controller is not paused")
        all.ofWatcher.resume()
        for _ in 1...10 {
            whole.number += 1
            withBatchedChanges { whole.number += 1 }
            all.ofWatcher.resume()
        }
        all.ofWatcher.pause()
        all.ofWatcher.invalidate()
        all.ofWatcher.resume()
        all.ofWatcher.pause()
        try check(all.calls > 50, "\(all.calls) calls")
    }

    @MainActor private static func waiting() async throws {
        let (whole, all) = (Whole(), Controllers())
        let nothing: Whole? = nil
        let ended = ObservationEndedError(reason: .objectDeinitialized)
        do {
            _ = try await all.ofWatcher.value(of: nothing, \.shared) { _ in true }
            try check(false, "a value of nothing")
        } catch let error as ObservationEndedError {
            try check(error == ended, "\(error)")
        }
        let task = Task { try await all.ofWatcher.value(of: whole, \.shared) { $0 > 5 } }
        task.cancel()
        whole.shared = 6
        _ = await task.result
    }
}
