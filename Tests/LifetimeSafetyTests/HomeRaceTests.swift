import Foundation
import SafeKVO
import Testing

/// Rule 40: values come home from threads that write at once, and the main actor does its other work meanwhile.
@Suite @MainActor struct HomeRaceTests {
    final class Download: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0)
    }

    /// What a view shows: a main-actor class, whose getters run nowhere else.
    final class Model: @MainActor KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var current: Download
        var evaluations = 0

        init(_ current: Download) { self.current = current }

        var percent: Int {
            MainActor.assertIsolated()
            evaluations += 1
            return current.progress.value / 100
        }
    }

    final class View {
        private(set) lazy var observations = ObservationController(observer: self)
        var calls: [String: Int] = [:]
        var last: [String: Int] = [:]

        func note(_ key: String, _ value: Int) {
            MainActor.assertIsolated()
            calls[key, default: 0] += 1
            last[key] = value
        }
    }

    /// The number of changes; a million for the record.
    private nonisolated static let changes = ProcessInfo.processInfo.environment["SAFEKVO_HOME_CHANGES"].flatMap { Int($0) } ?? 16_000
    private nonisolated static let writers = 8
    private nonisolated static let enoughWork = 100

    private static var residentPages: Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    @Test(
        "Rule 40: eight threads change a download of a main-actor view: the last value arrives, in few calls, and other work is done meanwhile"
    )
    func eightWriters() async {
        // In a process of its own the main actor belongs to this program alone.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { try await HomeRaceTests.race() }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    private static func race() async throws {
        let download = Download()
        let (model, view) = (Model(download), View())
        let observations = view.observations
        observations.observe(download.progress, \.value) { $0.note("value", $1) }
        observations.observe(model, \.current.progress.value) { $0.note("nested", $1) }
        observations.observe(model, \.percent) { $0.note("computed", $1) }
        observations.onChange(of: model, \.current.progress.value, tag: "old and new") { view, old, new in
            precondition(old == view.last["old and new"] ?? 0, "the old value is not the last new one")
            view.note("old and new", new)
        }
        let before = residentPages
        // The other work of the main actor: jobs of its own, one after the other. The writers go on until enough of it is done.
        let (isDone, isOver) = (Shared(false), Shared(false))
        let writing = Task.detached {
            defer { _ = isOver.exchange(true) }
            try Threads.run(writers) { _ in
                for _ in 0..<changes / writers { download.progress.$value.update { $0 += 1 } }
                while !isDone.current { download.progress.$value.update { $0 += 1 } }
            }
        }
        var work = 0
        while !isOver.current {
            work += 1
            if work == enoughWork { _ = isDone.exchange(true) }
            await Task.yield()
        }
        try await writing.value
        for _ in 0..<10 { await Task.yield() }
        let total = download.progress.value
        precondition(total >= changes && work >= enoughWork)
        let newest = ["value": total, "nested": total, "computed": total / 100, "old and new": total]
        precondition(view.last == newest, "\(view.last) is not the newest, \(newest)")
        let counters = observations.counters
        precondition(counters.wrongIsolation == 0 && view.calls.values.allSatisfy { $0 <= total + 1 })
        print(
            """
            Home: \(total) changes by \(writers) threads; calls \(view.calls), getter \(model.evaluations), other jobs of the main actor \(work), \
            overtaken \(counters.overtaken), \(residentPages - before) pages more
            """)
    }

    @Test("Rules 11a, 46: a sequence of the main actor, which other threads fill, does not go back, and its last value is the property's")
    func aSequenceIsFilledByTwoThreads() async {
        let (download, view) = (Download(), View())
        let values = view.observations.values(of: download.progress, \.value)
        let (last, didGoBack) = (Shared(0), Shared(false))
        let reading = Task {
            for await value in values {
                if value < last.exchange(value) { _ = didGoBack.exchange(true) }
            }
        }
        for _ in 0..<2000 where !didGoBack.current {
            await Task.detached {
                try? Threads.run(2) { _ in download.progress.$value.update { $0 += 1 } }
            }.value
            // Nobody writes now. The reader has its turn until it waits.
            for _ in 0..<1000 where last.current != download.progress.value { await Task.yield() }
            #expect(last.current == download.progress.value)
            if last.current != download.progress.value { break }
        }
        #expect(!didGoBack.current)
        reading.cancel()
        withExtendedLifetime(view) {}
    }
}
