// error: call to main actor-isolated instance method 'poll(_:_:every:clock:initial:removing:tag:ifAlreadyObserved:isolation:fileID:line:handler:onTermination:)' in a synchronous actor-isolated context
import SafeKVO

final class File {
    var size = 0
}

actor Archive {
    private let file = File()
    private lazy var observations = ObservationController(observer: self)

    func program() {
        #if LEGAL
            observations.poll(file, \.size, every: .seconds(1)) { _, size in print(size) }
        #else
            observations.poll(file, \.size, every: .seconds(1), isolation: MainActor.shared) { _, size in print(size) }
        #endif
    }
}
