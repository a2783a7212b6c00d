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
    final class List: KeyValueObject {
        @Observed var items = [1, 2]
        @Observed var isLong = false
        var summary: Int { isLong ? items.count : 0 }
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

    @Test("A getter that begins to read a property inside a change of it in place ends the program with a message")
    func aDependencyThatIsOpen() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (list, observer) = (List(), Observer())
            observer.observations.observe(list, \.items) { _, _ in }
            observer.observations.observe(list, \.summary) { _, _ in }
            list.items.removeAll { _ in
                list.isLong = true
                return false
            }
            exit(EXIT_SUCCESS)
        }
        let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(message.contains("reads `List.items`, which is being changed in place"))
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
