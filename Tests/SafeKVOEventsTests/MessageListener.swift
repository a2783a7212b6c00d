import SafeKVO
import SafeKVOEvents
import SafeKVOTesting

/// An observer that writes down the messages that it hears.
@MainActor final class MessageListener {
    let name: String
    let log: EventLog<String>
    lazy var observations = ObservationController(observer: self)

    init(_ name: String, _ log: EventLog<String>) {
        self.name = name
        self.log = log
    }

    func hear(_ message: NamedMessage) { log.append("\(name) \(message.name)") }
    func wake() { log.append("\(name) woke") }
}

extension MessageName {
    static let a: MessageName = "a"
    static let b: MessageName = "b"
}

/// An object that messages are about.
final class Thing {}
