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
        let text = bind(player, \.volume.description, to: label, \.text)
        print(label.text)  // prints 20
        let both = bind(player, \.volume, with: slider, \.position)
        print(slider.position)  // prints 20
        slider.position = 70
        print(player.volume, label.text)  // prints 70 70
        player.volume = 400  // the slider clamps it to 100
        print(slider.position, player.volume)  // prints 100 100
        both.cancel()
        slider.position = 0
        print(player.volume)  // prints 100
        // end snippet
        #expect(label.text == "100" && player.volume == 100 && slider.position == 0)
        text.cancel()
        player.volume = 5
        #expect(label.text == "100")
    }
}
