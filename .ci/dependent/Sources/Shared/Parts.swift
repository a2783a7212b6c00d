// The observers and the subjects of the cells, the same in each dialect: the isolation is written out.
import SafeKVO
import SafeKVOEvents
import Synchronization

@globalActor actor Pool {
    static let shared = Pool()
}

// MARK: Subjects

nonisolated final class PlainSubject: KeyValueObject {
    @Observed var number = 0
    @Observed var name = ""
}

@MainActor final class MainSubject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var name = ""
}

@Pool final class PoolSubject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var name = ""
}

// Two classes, because the compiler takes no wrapped property in a class that is written `nonisolated` and `Sendable` at once.
nonisolated class SharedProperties: KeyValueObject {
    @AtomicObserved var number = 0
    @AtomicObserved var name = ""
}

nonisolated final class SharedSubject: SharedProperties, @unchecked Sendable {}

nonisolated final class Doorbell: ObservationSource {
    let eventRegistrar = EventRegistrar<Int>()
    let name = "door"
    func ring() { eventRegistrar.notify(1) }
}

nonisolated struct CoverWanted: Message, Sendable {
    let title: String
}

extension MessageName {
    nonisolated static let saved: MessageName = "saved"
}

// MARK: Observers

nonisolated final class PlainListener: KeyValueObserver, AutomaticObserver {
    let observationSlot = ObservationSlot()
    private(set) var heard: [String] = []
    func hear(_ text: String) { heard.append(text) }

    func reload() { hear("action") }
    func numberDidBecome(_ number: Int) { hear("valueAction \(number)") }
    func numberDidChange(_ change: KeyValueChange<Int>) { hear("changeAction \(change.newValue ?? -1)") }
    func numberDidChange<S>(_ change: KeyValueChange<Int>, of subject: S) { hear("subjectAction \(change.newValue ?? -1)") }
    func coverIsWanted(_ message: CoverWanted) { hear("messageAction \(message.title)") }
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { hear("context \(context)") }
}

@MainActor final class MainListener: @MainActor KeyValueObserver, @MainActor AutomaticObserver {
    let observationSlot = ObservationSlot()
    private(set) var heard: [String] = []
    nonisolated init() {}
    func hear(_ text: String) { heard.append(text) }

    func reload() { hear("action") }
    func numberDidBecome(_ number: Int) { hear("valueAction \(number)") }
    func numberDidChange(_ change: KeyValueChange<Int>) { hear("changeAction \(change.newValue ?? -1)") }
    func numberDidChange<S>(_ change: KeyValueChange<Int>, of subject: S) { hear("subjectAction \(change.newValue ?? -1)") }
    func subjectDidChange(_ change: AnyKeyValueChange) { hear("eachChangeAction \(change.newValue ?? "none")") }
    func subjectDidChange<S>(_ change: AnyKeyValueChange, of subject: S) { hear("eachSubjectAction \(change.newValue ?? "none")") }
    func coverIsWanted(_ message: CoverWanted) { hear("messageAction \(message.title)") }
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { hear("context \(context)") }
}

@Pool final class PoolListener: @Pool KeyValueObserver, @Pool AutomaticObserver {
    let observationSlot = ObservationSlot()
    private(set) var heard: [String] = []
    nonisolated init() {}
    func hear(_ text: String) { heard.append(text) }

    func reload() { hear("action") }
    func numberDidBecome(_ number: Int) { hear("valueAction \(number)") }
    func numberDidChange(_ change: KeyValueChange<Int>) { hear("changeAction \(change.newValue ?? -1)") }
    func numberDidChange<S>(_ change: KeyValueChange<Int>, of subject: S) { hear("subjectAction \(change.newValue ?? -1)") }
    func coverIsWanted(_ message: CoverWanted) { hear("messageAction \(message.title)") }
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { hear("context \(context)") }
}

nonisolated final class SharedListener: KeyValueObserver, SharedObserver {
    let observationSlot = SharedObservationSlot()
    private let lines = Mutex<[String]>([])
    var heard: [String] { lines.withLock { $0 } }
    func hear(_ text: String) { lines.withLock { $0.append(text) } }

    func reload() { hear("action") }
    func numberDidBecome(_ number: Int) { hear("valueAction \(number)") }
    func numberDidChange(_ change: KeyValueChange<Int>) { hear("changeAction \(change.newValue ?? -1)") }
    func numberDidChange<S>(_ change: KeyValueChange<Int>, of subject: S) { hear("subjectAction \(change.newValue ?? -1)") }
    func subjectDidChange(_ change: AnyKeyValueChange) { hear("eachChangeAction \(change.newValue ?? "none")") }
    func subjectDidChange<S>(_ change: AnyKeyValueChange, of subject: S) { hear("eachSubjectAction \(change.newValue ?? "none")") }
    func coverIsWanted(_ message: CoverWanted) { hear("messageAction \(message.title)") }
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { hear("context \(context)") }
}

actor OwnerListener: SharedObserver {
    nonisolated let observationSlot = SharedObservationSlot()
    private(set) var heard: [String] = []
    func hear(_ text: String) { heard.append(text) }

    /// For handlers that run on the actor and do not get it isolated.
    nonisolated func hearHere(_ text: String) { assumeIsolated { $0.hear(text) } }
}

/// What each cell heard.
nonisolated enum Cells {
    static func check(_ cell: String, _ heard: [String], _ expected: [String]) {
        precondition(heard.sorted() == expected, "\(cell): heard \(heard.sorted()) and not \(expected)")
        passed(cell)
    }

    /// Lets others run until enough has been heard.
    static func check(_ cell: String, _ heard: @Sendable () async -> [String], _ expected: [String]) async {
        while await heard().count < expected.count { await Task.yield() }
        check(cell, await heard(), expected)
    }

    static func passed(_ cell: String) { print("  \(cell)") }
}
