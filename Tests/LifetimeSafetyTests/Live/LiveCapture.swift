import LifetimeModel

/// What a handler captures.
final class LiveCapture {
    private let watch: Int
    private unowned let model: Model

    init(_ watch: Int, _ model: Model) {
        self.watch = watch
        self.model = model
    }

    deinit { model.releasedCaptures(watch) }
}
