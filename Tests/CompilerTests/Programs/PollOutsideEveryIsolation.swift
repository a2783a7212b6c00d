// error: 'nil' is not compatible with expected argument type 'any Actor'
import SafeKVO

final class File {
    var size = 0
}

final class View {
    var size = 0
    private lazy var observations = ObservationController(observer: self)

    #if LEGAL
        @MainActor
    #endif
    func program(_ file: File) {
        observations.poll(file, \.size, every: .seconds(1)) { view, size in view.size = size }
    }
}
