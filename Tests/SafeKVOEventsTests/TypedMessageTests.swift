import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// Messages that are types.
@MainActor @Suite struct TypedMessageTests {
    struct CoverWanted: Message {
        var title: String
    }

    struct CoverArrived: Message {
        var title: String
    }

    class Event: Message {}
    final class SpecialEvent: Event {}

    @MainActor final class Library {
        let log: EventLog<String>
        lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func coverIsWanted(_ message: CoverWanted) { log.append("wanted \(message.title)") }
        func wakeUp() { log.append("woke") }
    }

    let log = EventLog<String>()
    let center = MessageCenter()
    let library: Library

    init() { library = Library(log) }

    @Test("Rule 44: a typed message reaches the observers of its type, and nobody else")
    func aTypedMessageReachesItsType() throws {
        let observations = library.observations
        observations.observe(center, for: CoverWanted.self) { library, message in library.log.append("closure \(message.title)") }
        observations.observe(center, for: CoverArrived.self) { library, message in library.log.append("arrived \(message.title)") }
        observations.observe(center, for: nil) { library, message in library.log.append("named \(message.name)") }
        observations.observe(center, for: "CoverWanted") { library, message in library.log.append("of that name") }
        center.post(CoverWanted(title: "Suites"))
        try log.expect(["closure Suites"])
        center.post(CoverArrived(title: "Suites"))
        try log.expect(["arrived Suites"])
        // A name that is a type's name is a name.
        center.post("CoverWanted")
        try log.expect(["named CoverWanted", "of that name"])
        #expect(observations.unobserve(center, for: CoverWanted.self) == 1)
        #expect(observations.unobserve(center, for: CoverWanted.self) == 0)
        center.post(CoverWanted(title: "Gone"))
        try log.expect([])
    }

    @Test("Rule 44: with an object filter only the messages of that object")
    func anObjectFilterIsHeeded() throws {
        let (x, y) = (Thing(), Thing())
        library.observations.observe(center, for: CoverWanted.self, object: x, tag: "x") { library, message in
            library.log.append("x \(message.title)")
        }
        library.observations.observe(center, for: CoverWanted.self) { library, message in library.log.append("any \(message.title)") }
        center.post(CoverWanted(title: "1"))
        center.post(CoverWanted(title: "2"), object: x)
        center.post(CoverWanted(title: "3"), object: y)
        try log.expect(["any 1", "x 2", "any 2", "any 3"])
        #expect(library.observations.unobserve(center, for: CoverWanted.self, object: x) == 0)
        #expect(library.observations.unobserve(center, for: CoverWanted.self, object: x, tag: "x") == 1)
    }

    @Test("Every form of the controller hears: closure, methods, a registration")
    func everyFormHears() throws {
        let observations = library.observations
        observations.observe(center, for: CoverWanted.self) { library, message in library.coverIsWanted(message) }
        observations.observe(center, for: CoverWanted.self, tag: "method", action: Library.coverIsWanted(_:))
        observations.observe(center, for: CoverWanted.self, tag: "plain", action: Library.wakeUp)
        let token = center.observation(for: CoverWanted.self) { log.append("token \($0.title)") }
        center.post(CoverWanted(title: "Suites"))
        try log.expect(["wanted Suites", "wanted Suites", "woke", "token Suites"])
        token.cancel()
        #expect(observations.unobserve(center) == 3)
        center.post(CoverWanted(title: "Suites"))
        try log.expect([])
    }

    @Test("A message of a class is of the class that the poster's variable has")
    func classesAreAsPosted() throws {
        library.observations.observe(center, for: Event.self) { library, message in library.log.append("event \(type(of: message))") }
        library.observations.observe(center, for: SpecialEvent.self) { library, _ in library.log.append("special") }
        center.post(SpecialEvent() as Event)
        center.post(SpecialEvent())
        let message: any Message = Event()
        center.post(message)
        try log.expect(["event SpecialEvent", "special", "event Event"])
    }

    @Test("Observations are described by the type of their messages")
    func observationsAreDescribed() {
        library.observations.observe(center, for: CoverWanted.self) { _, _ in }
        library.observations.observe(center, for: CoverArrived.self, object: library) { _, _ in }
        #expect(library.observations.observations.map(\.name) == ["CoverWanted", "CoverArrived of Library"])
    }

    @Test("Rule 32: a message from a deinit is not told to who asked for that object")
    func aDyingObjectIsNobody() throws {
        final class Mayfly {
            let center: MessageCenter
            init(_ center: MessageCenter) { self.center = center }
            deinit { center.post(CoverWanted(title: "last"), object: self) }
        }
        library.observations.observe(center, for: CoverWanted.self, action: Library.coverIsWanted(_:))
        func live() {
            let mayfly = Mayfly(center)
            library.observations.observe(center, for: CoverWanted.self, object: mayfly, action: Library.wakeUp)
        }
        live()
        try log.expect(["wanted last"])
    }
}
