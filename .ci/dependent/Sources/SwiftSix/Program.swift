import SafeKVO

// MARK: A plain class

class Thermometer: KeyValueObject {
    @Observed var degrees = 20
    @Observed var place: String?
    var isWarm: Bool { degrees > 24 }
}

final class Display {
    var heard: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func show(_ thermometer: Thermometer) {
        observations.observe(thermometer, \.degrees) { display, degrees in display.heard.append("\(degrees)") }
        observations.observe(thermometer, \.isWarm, options: [.old, .new]) { display, thermometer, change in
            display.heard.append("\(thermometer.degrees) \(change.oldValue == change.newValue)")
        }
        observations.observeEach(thermometer, [\.degrees, \.place], tag: "all") { display, _, change in
            display.heard.append("all \(change.newValue ?? "absent")")
        }
        observations.observe(thermometer, \.degrees, options: .new, tag: "method", action: Display.degreesDidChange(_:))
    }

    private func degreesDidChange(_ change: KeyValueChange<Int>) {
        heard.append("method \(change.newValue ?? -1)")
    }
}

// MARK: A class on the main actor

@MainActor final class Setting: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var volume = 1
}

@MainActor final class Slider: @MainActor KeyValueObserver, @MainActor AutomaticObserver {
    enum Context { case volume }

    let observationSlot = ObservationSlot()
    var heard: [String] = []

    func show(_ setting: Setting) {
        observations.observe(setting, \.volume) { slider, volume in slider.heard.append("\(volume)") }
        observations.observe(setting, \.volume, tag: "method", action: Slider.volumeDidChange)
        observations.observe(setting, \.volume, options: .new, tag: "context", context: .volume)
    }

    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) {
        heard.append("context \(change.newValue ?? "absent")")
    }

    private func volumeDidChange() {
        heard.append("method")
    }
}

// MARK: An actor

actor Station {
    private let thermometer = Thermometer()
    private(set) var heard: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func start() {
        observations.observe(thermometer, \.degrees) { station, degrees in
            station.assumeIsolated { $0.heard.append("\(degrees)") }
        }
        thermometer.degrees = 21
    }
}

func expect(_ heard: [String], _ expected: [String], from name: String) {
    print("  \(name): \(heard)")
    precondition(heard == expected, "\(name) should have heard \(expected).")
}

@main
enum Program {
    @MainActor static func main() async {
        let thermometer = Thermometer()
        let display = Display()
        display.show(thermometer)
        thermometer.degrees = 25
        expect(display.heard, ["20", "25", "25 false", "all 25", "method 25"], from: "a plain class")

        checkMainActor()
        await checkSharedModel()

        let station = Station()
        await station.start()
        expect(await station.heard, ["20", "21"], from: "an actor")

        await Cells.all()
    }

    @MainActor static func checkMainActor() {
        let setting = Setting()
        let slider = Slider()
        slider.show(setting)
        setting.volume = 11
        expect(slider.heard, ["1", "method", "11", "method", "context 11"], from: "a class on the main actor")
    }
}
