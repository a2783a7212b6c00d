import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// The examples of the article on receiving values, of sequences.
@Suite @MainActor struct ReceivingSequencesTests {
    @MainActor final class Model: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
    }

    @MainActor final class Page {
        lazy var observations = ObservationController(observer: self)
    }

    @Test("Article on receiving: the present value, then each new one")
    func valuesAreTaken() async {
        let (model, page) = (Model(), Page())
        let observations = page.observations
        var taken: [Int] = []
        func note(_ count: Int) { taken.append(count) }
        // snippet: sequence-values
        let counts = observations.values(of: model, \.count)  // observes from here on
        model.count = 1
        model.count = 2
        for await count in counts {
            note(count)
            if count == 2 { break }
        }
        // the loop has noted 0, 1 and 2
        // end snippet
        #expect(taken == [0, 1, 2])
    }

    @Test("Article on receiving: a bounded buffer")
    func aBufferMayBeBounded() async {
        let (model, page) = (Model(), Page())
        let observations = page.observations
        // snippet: sequence-buffering
        let counts = observations.values(of: model, \.count, buffering: .newest(1))
        for count in 1...5 { model.count = count }
        var iterator = counts.makeAsyncIterator()
        print(await iterator.next() ?? 0, counts.droppedCount)  // prints 5 5
        // end snippet
        #expect(counts.droppedCount == 5)
        model.count = 6
        #expect(await iterator.next() == 6)
    }

    @Test("Article on receiving: removing the observation ends the sequence")
    func aRemovalEndsASequence() async {
        let (model, page) = (Model(), Page())
        let counts = page.observations.values(of: model, \.count)
        model.count = 1
        #expect(page.observations.unobserve(model) == 1)
        model.count = 2
        var taken: [Int] = []
        for await count in counts { taken.append(count) }
        #expect(taken == [0, 1])
    }

    final class Job: Sendable {
        let progress = ObservedValue(0)
    }

    @Test("Article on receiving: a shared sequence is iterated in another task")
    func aSharedSequenceIsSent() async {
        let job = Job()
        // snippet: sequence-shared
        let values = job.progress.sharedValues(of: \.value)  // observes from here on
        let task = Task.detached {
            for await progress in values where progress == 100 { return true }
            return false  // the job was deallocated
        }
        job.progress.value = 100
        // end snippet
        #expect(await task.value)
    }

    // snippet: sequence-task
    @MainActor final class Journal {
        private(set) var lines: [String] = []
        private lazy var observations = ObservationController(observer: self)

        func follow(_ model: Model) -> Task<Void, Never> {
            let counts = observations.values(of: model, \.count)
            return Task { [weak self] in
                for await count in counts { self?.lines.append("\(count)") }
            }  // the loop ends when the journal is deallocated
        }
    }
    // end snippet

    @Test("Article on receiving: a task that captures the observer weakly ends with it")
    func aTaskEndsWithItsObserver() async {
        let model = Model()
        weak var gone: Journal?
        let task: Task<Void, Never>
        do {
            let journal = Journal()
            gone = journal
            task = journal.follow(model)
            model.count = 1
            while journal.lines.count < 2 { await Task.yield() }
            #expect(journal.lines == ["0", "1"])
        }
        #expect(gone == nil)
        await task.value
    }

    @MainActor final class SearchModel: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var query = ""
    }

    // snippet: debounce-task
    @MainActor final class ResultView {
        private(set) var searched: [String] = []
        private(set) var search: Task<Void, any Error>?
        private lazy var observations = ObservationController(observer: self)

        func show(_ model: SearchModel, clock: any Clock<Duration> = .continuous) {
            observations.onChange(of: model, \.query) { view, _, query in
                view.search?.cancel()
                view.search = Task { [weak view] in
                    try await clock.sleep(for: .milliseconds(300))
                    view?.searched.append(query)
                }
            }
        }
    }
    // end snippet

    @Test("Article on receiving: only a value that stays for a while counts")
    func valuesComeToRest() async throws {
        let (model, view, clock) = (SearchModel(), ResultView(), SteppedClock())
        view.show(model, clock: clock)
        model.query = "k"
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(299))
        model.query = "kvo"
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(299))
        #expect(view.searched == [])
        clock.advance(by: .milliseconds(1))
        try await view.search?.value
        #expect(view.searched == ["kvo"])
    }

    // snippet: awaited-value
    static func waitForHundred(
        of model: Model, _ observations: ObservationController<Page>
    ) async throws -> Int {
        try await observations.value(of: model, \.count) { $0 >= 100 }
    }
    // end snippet

    @Test("Article on receiving: one value is waited for")
    func oneValueIsWaitedFor() async throws {
        let (model, page) = (Model(), Page())
        model.count = 100
        #expect(try await Self.waitForHundred(of: model, page.observations) == 100)
    }

    @Test("Article on receiving: events of a signal")
    func eventsAreTaken() async {
        let page = Page()
        let finished = Signal<Int>()
        let tracks = page.observations.events(of: finished)
        finished.send(3)
        var iterator = tracks.makeAsyncIterator()
        #expect(await iterator.next() == 3)
    }
}
