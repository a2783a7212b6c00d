import SafeKVO
import Testing

/// The tasks in which isolation matters: a view on the main actor of a model that threads share, and a loop.
extension TenTasksTests {
    // MARK: 6. On the main actor, from any thread

    enum Task6 {
        final class Download: Sendable {
            let progress = ObservedValue(0.0)  // task 6: set-up
        }

        @MainActor final class Bar {
            var width = 0.0 { didSet { MainActor.preconditionIsolated() } }
            private lazy var observations = ObservationController(observer: self)  // task 6: set-up

            func show(_ download: Download) {
                observations.observe(download.progress, \.value) { bar, progress in bar.width = progress }  // task 6: call
            }
        }

        /// An observer that belongs to no actor names the main actor at the call.
        final class Presenter: SharedObserver {
            let observationSlot = SharedObservationSlot()
            let bar: Bar

            init(_ bar: Bar) { self.bar = bar }

            func present(_ download: Download) {
                observations.observe(download.progress, \.value, on: .mainActor { presenter, progress in presenter.bar.width = progress })
            }
        }
    }

    @Test("Rule 40: task 6, a view on the main actor gets the last value that another thread assigns, and each one that is assigned there")
    @MainActor func task6() async {
        let (download, bar) = (Task6.Download(), Task6.Bar())
        bar.show(download)
        #expect(bar.width == 0)
        download.progress.value = 0.25
        #expect(bar.width == 0.25)
        await Self.change(download)
        while bar.width != 1 { await Task.yield() }
        #expect(bar.width == download.progress.value)
    }

    @Test("Rule 41: task 6, an observer that belongs to no actor gets the same with `on: .mainActor`")
    @MainActor func task6WithoutAnActor() async {
        let (download, bar) = (Task6.Download(), Task6.Bar())
        let presenter = Task6.Presenter(bar)
        await Task.detached { presenter.present(download) }.value
        await Self.change(download)
        while bar.width != 1 { await Task.yield() }
        #expect(bar.width == download.progress.value)
        withExtendedLifetime(presenter) {}
    }

    /// Changes a download on several threads, and at last to 1.
    private nonisolated static func change(_ download: Task6.Download) async {
        await withTaskGroup { group in
            for part in 2...9 {
                group.addTask { for _ in 0..<100 { download.progress.value = 1 / Double(part) } }
            }
        }
        await Task.detached { download.progress.value = 1 }.value
    }

    // MARK: 10. A loop (`debounce` of swift-async-algorithms on the same sequence is in .ci/dependent)

    enum Task10 {
        @MainActor final class Field: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var text = ""
        }

        @MainActor static func search(_ field: Field, until last: String) async -> [String] {
            var searched: [String] = []
            for await text in field.values(of: \.text) {  // task 10: call
                searched.append(text)
                if text == last { break }
            }
            return searched
        }
    }

    @Test("Task 10: a loop takes the present value and each new one")
    @MainActor func task10() async {
        let field = Task10.Field()
        let searching = Task { await Task10.search(field, until: "kvo") }
        while ObservationDiagnostics.observations(of: field).isEmpty { await Task.yield() }
        for text in ["k", "kv", "kvo"] { field.text = text }
        #expect(await searching.value == ["", "k", "kv", "kvo"])
    }
}
