import SafeKVO
import Testing

/// The examples of the article on receiving values, of bindings.
@Suite struct ReceivingBindingsTests {
    // snippet: binding-models
    final class Player: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var volume = 20
    }

    final class Slider: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
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

    @Test("Article on receiving: a property follows another, and two follow each other")
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

    @Test("Article on receiving: a closure converts in one direction")
    func aTransform() {
        let (player, label) = (Player(), Label())
        // snippet: binding-transform
        let token = bind(player, \.volume, to: label, \.text) { "\($0) %" }
        print(label.text)  // prints 20 %
        // end snippet
        #expect(label.text == "20 %")
        token.cancel()
    }

    // snippet: binding-conversion
    final class Field: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var text = "0"
        var number: Int {
            get { Int(text) ?? 0 }
            set { text = String(newValue) }
        }
    }
    // end snippet

    @Test("Article on receiving: a computed property with a setter converts")
    func aConversion() {
        let (player, field) = (Player(), Field())
        // snippet: binding-conversion-use
        let token = bind(player, \.volume, with: field, \.number)
        print(field.text)  // prints 20
        field.text = "35"
        print(player.volume)  // prints 35
        // end snippet
        #expect(field.text == "35" && player.volume == 35)
        token.cancel()
    }

    final class Shelf: KeyValueObject {
        @Observed var player: Player?
        var volume: Int {
            get { player?.volume ?? 0 }
            set { player?.volume = newValue }
        }
    }

    @Test("Article on receiving: a computed property replaces an optional hop")
    func anOptionalHop() {
        let (shelf, slider) = (Shelf(), Slider())
        let token = bind(shelf, \.volume, with: slider, \.position)
        shelf.player = Player()
        #expect(slider.position == 20)
        slider.position = 30
        #expect(shelf.player?.volume == 30)
        token.cancel()
    }

    @Test("Article on receiving: of a batch that changes both sides, the side that was changed first wins", arguments: [true, false])
    func aBatchOfBothSides(playerIsFirst: Bool) {
        for winner in [BindingSide.first, .second] {
            let (player, slider) = (Player(), Slider())
            let token = bind(player, \.volume, with: slider, \.position, startingWith: winner)
            withBatchedChanges {
                if playerIsFirst { player.volume = 60 }
                slider.position = 70
                if !playerIsFirst { player.volume = 60 }
            }
            #expect(player.volume == (playerIsFirst ? 60 : 70) && slider.position == player.volume)
            token.cancel()
        }
    }
}
