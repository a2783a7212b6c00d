import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the article on manual notification.
@Suite struct ManualArticleTests {
    // snippet: manual-closure
    final class Thermometer: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        private var file = ["celsius": 20]  // not observable

        var celsius: Int {
            get {
                access(\.celsius)
                return file["celsius"] ?? 0
            }
            set { withChange(of: \.celsius) { file["celsius"] = newValue } }
        }

        var isWarm: Bool { celsius > 24 }
    }

    final class Room: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var thermometer = Thermometer()
    }
    // end snippet

    final class Display { var text = "" }

    @Test("Each form of manual notification delivers one change")
    func eachFormDeliversOneChange() throws {
        let (thermometer, display) = (Thermometer(), Display())
        let observations = ObservationController(observer: display)
        // snippet: manual-observer
        observations.observe(
            thermometer, \.celsius, options: [.old, .new]
        ) { display, _, change in
            display.text += "\(change.oldValue ?? 0) to \(change.newValue ?? 0). "
        }
        thermometer.celsius = 21  // display.text is "20 to 21. "
        // end snippet
        #expect(display.text == "20 to 21. ")
        try thermometer.load("22")
        thermometer.adjust(by: 1)
        #expect(throws: Thermometer.Unreadable.self) { try thermometer.load("warm") }
        #expect(display.text == "20 to 21. 21 to 22. 22 to 23. ")
    }

    @Test("A getter that calls access(_:) is followed by computed properties and longer key paths, and nothing is warned of")
    func aReportedPropertyIsFollowed() async {
        await #expect(processExitsWith: .success) {
            let warnings = EventLog<String>()
            ObservationDiagnostics.warningHandler = { warnings.append($0.message) }
            let (room, display) = (Room(), Display())
            let observations = ObservationController(observer: display)
            // snippet: manual-follow
            observations.observe(room, \.thermometer.isWarm) { display, isWarm in
                display.text += isWarm ? "warm " : "cold "
            }  // display.text is "cold "
            room.thermometer.celsius = 30  // display.text is "cold warm "
            room.thermometer = Thermometer()  // display.text is "cold warm cold "
            // end snippet
            #expect(display.text == "cold warm cold ")
            display.text = ""
            observations.observe(room.thermometer, \.celsius) { display, celsius in display.text += "\(celsius) " }
            observations.observe(room, \.thermometer.celsius) { display, celsius in display.text += "in the room \(celsius) " }
            room.thermometer.adjust(by: 1)
            #expect(display.text.contains("20 in the room 20 ") && display.text.contains("in the room 21"))
            try warnings.expect([])
        }
    }

    final class Mercury: KeyValueObject {
        private var level = 20
        var celsius: Int { level }  // does not call access(_:)
        var isWarm: Bool { celsius > 24 }
        func rise() { withChange(of: \.celsius) { level += 10 } }
    }

    @Test("Article on manual notification, pitfalls: without access(_:), only observers of the key itself are notified, after a warning")
    func aPropertyThatIsNotReported() async {
        await #expect(processExitsWith: .success) { ManualArticleTests.observeMercury() }
    }

    /// A function of its own, because in an exit test all lines have one number.
    private static func observeMercury() {
        let (warnings, log) = (EventLog<ObservationWarning.Kind>(), EventLog<String>())
        ObservationDiagnostics.warningHandler = { warnings.append($0.kind) }
        let (mercury, display) = (Mercury(), Display())
        let observations = ObservationController(observer: display)
        observations.observe(mercury, \.celsius) { _, celsius in log.append("\(celsius)") }
        observations.observe(mercury, \.isWarm) { _, isWarm in log.append("\(isWarm)") }
        mercury.rise()
        #expect(log.events == ["20", "false", "30"])
        #expect(warnings.events == [.nothingObservable, .nothingObservable])
        withExtendedLifetime(display) {}
    }
}

extension ManualArticleTests.Thermometer {
    struct Unreadable: Error {}

    // snippet: manual-token
    func load(_ text: String) throws {
        let change = willChange(\.celsius)
        guard let value = Int(text) else {
            change.cancel()  // nothing was changed: observers get no call
            throw Unreadable()
        }
        file["celsius"] = value
        change.didChange()
    }
    // end snippet

    // snippet: manual-bare
    func adjust(by difference: Int) {
        willChangeValue(for: \.celsius)
        file["celsius", default: 0] += difference
        didChangeValue(for: \.celsius)
    }
    // end snippet
}
