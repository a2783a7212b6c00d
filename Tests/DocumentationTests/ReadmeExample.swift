// snippet: example
import SafeKVO

final class WallClock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var hour = 0
    var isNight: Bool { hour < 6 }
}

final class ClockView {
    var lines: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func show(_ clock: WallClock) {
        observations.observe(clock, \.hour) { view, hour in view.lines.append("hour \(hour)") }
        observations.observe(clock, \.isNight, removing: .duplicates) { view, isNight in view.lines.append("night: \(isNight)") }
    }
}
// end snippet
