import SafeKVO
import SafeKVOTesting

/// What the tests of the controller observe.
final class Thermostat: KeyValueObject {
    @Observed var degrees = 0
    @Observed var room = "hall"
}

/// What one option set lets an observer hear when `degrees` goes from 0 to 1 after the registration.
struct OptionsCase: Sendable, CustomStringConvertible {
    let options: KeyValueObservingOptions
    /// The calls during registration.
    let initial: [String]
    /// The calls for the change.
    let change: [String]

    var description: String { options.description }

    static let all = [
        OptionsCase(options: [], initial: [], change: ["change"]),
        OptionsCase(options: .new, initial: [], change: ["change new 1"]),
        OptionsCase(
            options: [.initial, .new, .old, .prior], initial: ["initial new 0"], change: ["prior old 0", "change new 1 old 0"]),
    ]

    /// The calls with a prefix before each.
    func calls(_ prefix: String = "") -> [String] { (initial + change).map { prefix + $0 } }
}

/// Everything that a change tells, as a line.
func describe<Value>(_ change: KeyValueChange<Value>) -> String {
    describe(AnyKeyValueChange(change))
}

/// Everything that a change tells, as a line.
func describe(_ change: AnyKeyValueChange) -> String {
    var words = [change.isInitial ? "initial" : change.isPrior ? "prior" : "change"]
    if change.kind != .setting { words.append("\(change.kind)") }
    if let value = change.newValue { words.append("new \(value)") }
    if let value = change.oldValue { words.append("old \(value)") }
    if let indexes = change.indexes { words.append("at \(indexes)") }
    return words.joined(separator: " ")
}

/// An observer with every sort of handler.
final class Wall: KeyValueObserver {
    let log = EventLog<String>()
    private(set) lazy var observations = ObservationController(observer: self)

    func wasCalled() {
        log.append("called")
    }

    func degreesAre(_ degrees: Int) {
        log.append("degrees \(degrees)")
    }

    func didChange(_ change: KeyValueChange<Int>) {
        log.append(describe(change))
    }

    func didChange(_ change: KeyValueChange<Int>, of thermostat: Thermostat) {
        log.append("\(describe(change)) of \(thermostat.room)")
    }

    func somethingChanged() {
        log.append("called")
    }

    func anythingDidChange(_ change: AnyKeyValueChange) {
        log.append("\(name(of: change)) \(describe(change))")
    }

    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: String) {
        log.append("\(context): \(name(of: change)) \(describe(change)) of \((object as? Thermostat)?.room ?? "nothing")")
    }

    private func name(of change: AnyKeyValueChange) -> String {
        switch change.keyPath {
        case \Thermostat.degrees: "degrees"
        case \Thermostat.room: "room"
        default: "something"
        }
    }
}
