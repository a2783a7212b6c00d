import Foundation
import SafeKVO
import Testing

@Suite struct TrappingPathTests {
    final class Item: KeyValueObject {
        @Observed var name = "a"
    }
    final class Box: KeyValueObject {
        @Observed var items = [Item()]
        @Observed var child: Item? = Item()
    }
    final class Observer {
        lazy var observations = ObservationController(observer: self)
        var heard: [String?] = []
    }

    @Test("Rule 20d: an element that is gone traps in the assignment, as the same expression would")
    func anElementThatIsGone() async {
        await #expect(processExitsWith: .failure) {
            let (box, observer) = (Box(), Observer())
            observer.observations.observe(box, \.items[0].name) { observer, name in observer.heard.append(name) }
            box.items[0].name = "b"
            guard observer.heard == ["a", "b"] else { exit(EXIT_SUCCESS) }
            box.items = []
            exit(EXIT_SUCCESS)
        }
    }

    @Test("Rule 20d: a forced hop that becomes nil traps in the assignment, as the same expression would")
    func aForcedHopThatIsNil() async {
        await #expect(processExitsWith: .failure) {
            let (box, observer) = (Box(), Observer())
            observer.observations.observe(box, \.child!.name) { observer, name in observer.heard.append(name) }
            box.child?.name = "b"
            guard observer.heard == ["a", "b"] else { exit(EXIT_SUCCESS) }
            box.child = nil
            exit(EXIT_SUCCESS)
        }
    }

    @Test("Rule 20d: the safe spellings hand over nil")
    func theSafeSpellings() {
        let (box, observer) = (Box(), Observer())
        observer.observations.observe(box, \.items.first?.name) { observer, name in observer.heard.append(name) }
        observer.observations.observe(box, \.child?.name) { observer, name in observer.heard.append(name) }
        box.items = []
        box.child = nil
        #expect(observer.heard == ["a", "a", nil, nil])
    }
}
