import SafeKVOTesting

// snippet: example
import SafeKVO

final class WallClock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var hour = 0
    var isNight: Bool { hour < 6 }
}

final class ClockView {
    private lazy var observations = ObservationController(observer: self)

    func show(_ clock: WallClock) {
        observations.observe(clock, \.hour) { view, hour in
            view.draw("\(hour) o'clock")
        }
        observations.observe(clock, \.isNight) { view, isNight in
            view.draw(isNight ? "night" : "day")
        }
    }

    private func draw(_ text: String) { print(text) }
}
// end snippet

/// The use of the example, as README shows it.
enum ReadmeUse {
    static let output = EventLog<String>()

    static func run() {
        // snippet: use
        let clock = WallClock()
        var view: ClockView? = ClockView()
        view?.show(clock)  // prints "0 o'clock" and "night"
        clock.hour = 7  // prints "7 o'clock" and "day"
        view = nil  // the view is deallocated; its observations end
        clock.hour = 8  // prints nothing
        // end snippet
    }
}

/// Stands in for the standard library's `print`, so that a test can compare what the example prints.
private func print(_ text: String) { ReadmeUse.output.append(text) }
