import SafeKVO
import Testing

/// The examples of the article on manual notification.
@Suite struct ManualArticleTests {
    // snippet: manual-closure
    final class Thermometer: KeyValueObject {
        private var file = ["celsius": 20]  // not observable

        var celsius: Int {
            get { file["celsius"] ?? 0 }
            set { withChange(of: \.celsius) { file["celsius"] = newValue } }
        }
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
