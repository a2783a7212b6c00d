// A model that threads share and that the compiler checks: the same class in each dialect, and its observers.
import SafeKVO

nonisolated final class Download: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let progress = ObservedValue(0.0)
    // In a module on the main actor, this property is why the class is marked `nonisolated`: any thread may read it.
    var percent: Int { Int(progress.value * 100) }
}

// Without the mark it belongs to the main actor in such a module. Its constants may be used anywhere all the same.
final class Upload: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let progress = ObservedValue(0.0)
}

@MainActor final class TransferView {
    private(set) var heard: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func show(_ download: Download, _ upload: Upload) {
        observations.observe(download.progress, \.value) { view, progress in view.hear("value \(progress)") }
        observations.observe(download, \.progress.value) { view, progress in view.hear("path \(progress)") }
        observations.observe(download, \.percent) { view, percent in view.hear("percent \(percent)") }
        observations.observe(upload.progress, \.value) { view, progress in view.hear("upload's value \(progress)") }
        observations.observe(upload, \.progress.value) { view, progress in view.hear("upload's path \(progress)") }
    }

    private func hear(_ text: String) {
        MainActor.preconditionIsolated()
        heard.append(text)
    }
}

/// Registers outside every isolation.
nonisolated func follow(_ download: Download, _ upload: Upload, _ observations: SharedObservationController<SharedListener>) {
    observations.observe(download.progress, \.value, on: .anyThread { listener, progress in listener.hear("value \(progress)") })
    observations.observe(download, \.progress.value, on: .anyThread { listener, progress in listener.hear("path \(progress)") })
    observations.observe(download, \.percent, on: .anyThread { listener, percent in listener.hear("percent \(percent)") })
    observations.observe(upload, \.progress.value, on: .anyThread { listener, progress in listener.hear("upload's path \(progress)") })
}

/// Registers what is refused: any thread may change the property, and the handler belongs to none.
nonisolated func registerWithoutIsolation(_ download: Download) -> [ObservationResult] {
    let listener = PlainListener()
    let observations = ObservationController(observer: listener)
    let value = observations.observe(download.progress, \.value) { listener, progress in listener.hear("\(progress)") }
    let path = observations.observe(download, \.progress.value) { listener, progress in listener.hear("\(progress)") }
    return [value, path]
}

@MainActor func checkSharedModel() async {
    let (download, upload, view, listener) = (Download(), Upload(), TransferView(), SharedListener())
    view.show(download, upload)
    follow(download, upload, listener.observations)
    await Task.detached {
        download.progress.value = 0.5
        upload.progress.$value.update { $0 += 0.5 }
    }.value
    while view.heard.count < 10 { await Task.yield() }
    let paths = ["path 0.0", "path 0.5", "percent 0", "percent 50", "upload's path 0.0", "upload's path 0.5"]
    let values = ["value 0.0", "value 0.5"]
    expect(view.heard.sorted(), paths + values.map { "upload's \($0)" } + values, from: "a view of a model that threads share")
    expect(listener.heard.sorted(), paths + values, from: "a listener on any thread")

    ObservationDiagnostics.warningHandler = nil
    precondition(registerWithoutIsolation(download) == [.refused(.noIsolation), .refused(.noIsolation)])
}
