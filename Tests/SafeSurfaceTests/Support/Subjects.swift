import Observation
import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation
import Synchronization

/// A subject with a property of every sort.
class Whole: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) no test uses its plain properties on two threads at once.
    @Observed var number = 0
    @Observed var items = [1, 2, 3]
    @Observed var names: Set<String> = ["a"]
    @Observed var part: Whole?
    @AtomicObserved var shared = 0
    @AtomicObserved var sharedItems = [1, 2, 3]
    var plain = 0
    let constant = 7
    var sum: Int { number + shared }
    subscript(index: Int) -> Int { number + index }

    override init() {}
}

/// A subject of Swift's own.
@Observable final class Modern: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) no test uses its property on two threads at once.
    var number = 0
    init() {}
}

/// An observer for everything that takes one.
final class Watcher: KeyValueObserver, SubjectObserver, Sendable {
    let calls = Atomic<Int>(0)

    func call() { calls.wrappingAdd(1, ordering: .relaxed) }
    func callWithChange(_ change: KeyValueChange<Int>) { call() }
    func callWithBoth(_ change: KeyValueChange<Int>, _ whole: Whole) { call() }
    func callWithNumber(_ number: Int) { call() }
    func callWithRaw(_ message: NamedMessage) { call() }
    func callWithNote(_ message: Note) { call() }

    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) { call() }
    func update(_ subject: Bell) { call() }
}

/// An observer that is an actor.
actor Desk {
    private(set) var calls = 0
    private lazy var observations = ObservationController(observer: self)

    func call() { calls += 1 }

    /// Observes an object in each form that an actor has for objects of its own, and changes it.
    func observe(_ whole: Whole, options: KeyValueObservingOptions) -> [ObservationResult] {
        let results = [
            observations.observe(whole, \.number, options: options) { desk, _, _ in desk.call() },
            observations.observe(whole, \.number, tag: "value") { desk, _ in desk.call() },
            observations.onChange(of: whole, \.number, tag: "pair") { desk, _, _ in desk.call() },
        ]
        whole.number += 1
        observations.unobserveAll()
        whole.number += 1
        return results
    }
}

@globalActor actor Archive { static let shared = Archive() }

/// A message.
struct Note: Message, Sendable {
    var text = ""
}

/// A source of one's own, and a subject of the observer pattern.
final class Bell: ObservableSubject, Sendable {
    let eventRegistrar = EventRegistrar<Void>()
    func ring() { tell((), from: self) }
}

/// A source whose events carry a number.
final class Counter: ObservationSource, Sendable {
    let eventRegistrar = EventRegistrar<Int>()
    func count(_ number: Int) { tell(number, from: self) }
}

/// Tells the observers of a source something.
func tell<Source: ObservationSource>(_ event: Source.Event, from source: Source) {
    source.eventRegistrar.notify(event)
}

/// The observers and controllers of one mistake.
final class Controllers {
    let watcher = Watcher()
    let desk = Desk()
    let ofWatcher: ObservationController<Watcher>
    let ofDesk: ObservationController<Desk>
    /// Another controller of the watcher, which a `Sendable` closure may capture.
    let shared: SharedObservationController<Watcher>

    init(retaining: Bool = true) {
        ofWatcher = ObservationController(observer: watcher, retainsObserved: retaining)
        ofDesk = ObservationController(observer: desk, retainsObserved: retaining)
        shared = SharedObservationController(observer: watcher, retainsObserved: retaining)
    }

    var calls: Int { watcher.calls.load(ordering: .relaxed) }

    func unobserveAll() {
        ofWatcher.unobserveAll()
        ofDesk.unobserveAll()
        shared.unobserveAll()
    }
}

/// Fails, and so ends a process that should have gone on.
struct Broken: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Checks something in a process of its own.
func check(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
    if !isTrue { throw Broken(what()) }
}
