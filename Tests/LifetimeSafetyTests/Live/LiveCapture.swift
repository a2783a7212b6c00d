import LifetimeModel

/// What a handler captures.
final class LiveCapture {
    private let watch: Int
    private unowned let program: LiveProgram

    init(_ watch: Int, _ program: LiveProgram) {
        self.watch = watch
        self.program = program
    }

    deinit { program.model.releasedCaptures(watch) }
}
