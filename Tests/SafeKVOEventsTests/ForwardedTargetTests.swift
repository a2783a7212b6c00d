import SafeKVO
import SafeKVOEvents
import Testing

/// `_target(of:from:)`, which only the library should call and only its own sources implement.
@Suite struct ForwardedTargetTests {
    final class Observer: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        private(set) lazy var observations = ObservationController(observer: self)
    }

    private static func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    /// Answers with the target of a message center.
    final class Mine<Event>: ObservationSource {
        let eventRegistrar = EventRegistrar<Event>()
        typealias Topic = MessageName?
        typealias Sender = AnyObject?
        var secret = ["a", "long", "secret"]
        let center: MessageCenter
        let name: MessageName?

        init(_ center: MessageCenter, _ name: MessageName?) {
            self.center = center
            self.name = name
        }

        func _target(of topic: MessageName?, from sender: AnyObject?) -> _EventTarget { center._target(of: name, from: sender) }
    }

    @Test("Rule 36b: a source that answers with the target of another one ends the program with a message")
    func forwardedTarget() async {
        let results = await [
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (center, first, second) = (MessageCenter(), Observer(), Observer())
                first.observations.observe(center, for: "x") { _, _ in }
                second.observations.observe(Mine<NamedMessage>(center, "x")) { (_: Observer, source: Mine<NamedMessage>, _: NamedMessage) in
                    print(source.secret)
                }
                center.post("x")
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (center, first, second) = (MessageCenter(), Observer(), Observer())
                second.observations.observe(Mine<[String]>(center, "x")) { (_: Observer, _: Mine<[String]>, event: [String]) in
                    print(event)
                }
                first.observations.observe(center, for: "x") { _, _ in }
            },
        ]
        for result in results {
            #expect(Self.message(result).contains("._target(of:from:)` returned a target of another object, a `MessageCenter`."))
        }
    }

    @Test("A source that answers with another one's target of all events has its own observers")
    func forwardedTargetOfEverything() {
        let (center, observer) = (MessageCenter(), Observer())
        let mine = Mine<NamedMessage>(center, nil)
        var names: [MessageName] = []
        observer.observations.observe(mine) { (_: Observer, source: Mine<NamedMessage>, message: NamedMessage) in
            #expect(source === mine)
            names.append(message.name)
        }
        center.post("x")
        #expect(names == [])
    }
}
