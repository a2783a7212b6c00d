import SafeKVO
import Testing

/// The examples of the article on limits.
@Suite struct LimitsTests {
    // snippet: clamp
    final class Slider: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed private var storedPosition = 0.0
        var position: Double {
            get { storedPosition }
            set { storedPosition = min(max(newValue, 0), 1) }
        }
    }
    // end snippet

    final class LateSlider: KeyValueObject {
        var order: [String] = []
        @Observed var position = 0.0 {
            didSet {
                order.append("didSet")
                if position > 1 { position = 1 }
            }
        }
    }

    @Test("Observers are told before the property's own didSet; a computed property clamps before they are told")
    func clampsBelongInAComputedProperty() {
        let (slider, log) = (Slider(), Log())
        let observations = log.observations
        // snippet: clamp-use
        observations.observe(slider, \.position) { log, position in
            log.lines.append("\(position)")
        }
        slider.position = 7  // log.lines is ["0.0", "1.0"]
        // end snippet
        #expect(log.lines == ["0.0", "1.0"])
        #expect(slider.position == 1)

        let late = LateSlider()
        log.lines = []
        log.observations.observe(late, \.position, initial: false) { [unowned late] _, position in
            late.order.append("told \(position)")
        }
        late.position = 7
        #expect(late.order.first == "told 7.0")
        #expect(late.order.contains("told 1.0"))
        #expect(late.position == 1)
    }
}
