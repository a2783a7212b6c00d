// error: sending value of non-Sendable type '() async -> ()' risks causing data races
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class View {
    var hour = 0
}

func program() async {
    let clock = Clock()
    let observations = ObservationController(observer: View())
    #if LEGAL
        observations.unobserveAll()
    #else
        observations.observe(clock, \.hour) { view, hour in view.hour = hour }
    #endif
    await Task.detached { clock.hour = 1 }.value
    observations.unobserveAll()
}
