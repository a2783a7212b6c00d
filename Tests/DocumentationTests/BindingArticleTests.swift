import SafeKVO
import Testing

/// The examples of the article on bindings.
@Suite struct BindingArticleTests {
    // snippet: binding-models
    final class Player: KeyValueObject {
        @Observed var volume = 20
    }

    final class Slider: KeyValueObject {
        @Observed private var stored = 0
        var position: Int {
            get { stored }
            set { stored = min(max(newValue, 0), 100) }
        }
    }

    final class Label {
        var text = ""
    }
    // end snippet

    @Test("Article on bindings: a property follows another, and two follow each other")
    func propertiesFollowEachOther() {
        let (player, slider, label) = (Player(), Slider(), Label())
        // snippet: binding
        let text = bind(player, \.volume.description, to: label, \.text)  // label.text is "20"
        let both = bind(player, \.volume, with: slider, \.position)  // slider.position is 20
        slider.position = 70  // player.volume is 70
        player.volume = 400  // slider.position is 100, and so is player.volume
        both.cancel()
        slider.position = 0  // player.volume is 100
        // end snippet
        #expect(label.text == "100" && player.volume == 100 && slider.position == 0)
        text.cancel()
        player.volume = 5
        #expect(label.text == "100")
    }
}
