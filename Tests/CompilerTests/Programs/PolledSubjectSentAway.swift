// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code
import SafeKVO

final class File {
    var size = 0
}

@MainActor final class View {
    var size = 0
    private lazy var observations = ObservationController(observer: self)

    func program() async {
        let file = File()
        #if LEGAL
            observations.unobserveAll()
        #else
            observations.poll(file, \.size, every: .seconds(1)) { view, size in view.size = size }
        #endif
        await Task.detached { file.size = 1 }.value
    }
}
