import SafeKVO
import Testing

/// The examples of the article on isolation that hop.
@Suite struct IsolationArticleTests {
    // snippet: hop
    // It changes on any thread, so its properties are atomic.
    final class Job: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var progress = 0
    }

    @MainActor final class ProgressBar {
        private(set) var width = 0
        private lazy var observations = ObservationController(observer: self)

        func show(_ job: Job) {
            observations.observe(
                job, \.progress,
                on: .mainActor { bar, progress in bar.width = progress })
        }
    }
    // end snippet

    @Test("Article on isolation: an object that changes on any thread is observed on the main actor")
    @MainActor func aHandlerHops() async {
        let (job, bar) = (Job(), ProgressBar())
        bar.show(job)
        job.progress = 1
        #expect(bar.width == 1)
        Task.detached { for progress in 2...100 { job.progress = progress } }
        while bar.width < 100 { await Task.yield() }
    }
}
