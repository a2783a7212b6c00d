import Observation
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// Classes that are observable for SafeKVO and for Swift's Observation: what Swift's tracking is told of their properties.
@Suite struct TrackedClassTests {
    class Clock: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
        @Observed var cities = ["Ulm"]
        @Observed var names: Set<String> = []
        @Observed var next: Clock?
        @Observed var mark: Void = ()
        @AtomicObserved var ticks = 0
        @AtomicObserved var alarms = [7]
        private var file = "a"

        var isNight: Bool { hour < 6 }
        var nextHour: Int? { next?.hour }
        var title: String {
            get { access(\.title); return file }
            set { withChange(of: \.title) { file = newValue } }
        }
        func rename(_ title: String) {
            let change = willChange(\.title)
            file = title
            change.didChange()
        }
    }
    class Dial: Clock {
        @Observed var size = 1
        override var hour: Int {
            get { super.hour % 12 }
            set { super.hour = newValue }
        }
    }
    final class Box<Content>: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var content: Content
        init(_ content: Content) { self.content = content }
    }

    /// How often Swift says that something that is read will change, while it is changed.
    private func announcements(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Int {
        let count = Count()
        withObservationTracking(read) { count.add() }
        try change()
        return count.value
    }

    final class Count: Sendable {
        private let count = Atomic<Int>(0)
        func add() { count.add(1, ordering: .relaxed) }
        var value: Int { count.load(ordering: .relaxed) }
    }

    private func isAnnouncedOnce<Value>(
        of clock: Clock = Clock(), _ read: (Clock) -> Value, _ change: (Clock) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(announcements({ _ = read(clock) }, { change(clock) }) == 1, sourceLocation: sourceLocation)
        // Once for each time it is read: nothing is read any more.
        #expect(announcements({}, { change(clock) }) == 0, sourceLocation: sourceLocation)
    }

    @Test("Every change of a property is announced to Swift, however it is made")
    func everyChangeIsAnnounced() {
        isAnnouncedOnce({ $0.hour }, { $0.hour = 1 })
        isAnnouncedOnce({ $0.hour }, { $0.hour += 1 })
        isAnnouncedOnce({ $0.mark }, { $0.mark = () })
        isAnnouncedOnce({ $0.cities }, { $0.cities.append("Bonn") })
        isAnnouncedOnce({ $0.cities }, { $0.mutableArrayValue(for: \.cities).append("Bonn") })
        isAnnouncedOnce({ $0.names }, { $0.mutableSetValue(for: \.names).insert("Bonn") })
        isAnnouncedOnce({ $0.ticks }, { $0.ticks = 1 })
        isAnnouncedOnce({ $0.ticks }, { $0.$ticks.update { $0 += 1 } })
        isAnnouncedOnce({ $0.alarms }, { $0.mutableArrayValue(for: \.alarms).append(8) })
        isAnnouncedOnce({ $0.hour }, { clock in withBatchedChanges { clock.hour = 5 } })
    }

    @Test("A computed property is tracked by what its getter reads, and a manual notification by its key")
    func computedPropertiesAreTracked() {
        isAnnouncedOnce({ $0.isNight }, { $0.hour = 7 })
        isAnnouncedOnce({ $0.title }, { $0.title = "b" })
        isAnnouncedOnce({ $0.title }, { $0.rename("b") })
        let clock = Clock()
        let next = Clock()
        clock.next = next
        isAnnouncedOnce(of: clock, { $0.nextHour }, { _ in next.hour = 1 })
        isAnnouncedOnce(of: clock, { $0.nextHour }, { $0.next = nil })
    }

    @Test("A property that was not read announces nothing")
    func aPropertyThatWasNotReadAnnouncesNothing() {
        let (clock, other) = (Clock(), Clock())
        #expect(announcements({ _ = clock.hour }, { (clock.ticks, clock.cities, other.hour) = (1, [], 1) }) == 0)
        #expect(announcements({ _ = clock.ticks }, { (clock.hour, clock.alarms, other.ticks) = (1, [], 1) }) == 0)
    }

    @Test("Subclasses are tracked, with the properties that they inherit, override and add")
    func subclassesAreTracked() {
        let dial = Dial()
        #expect(announcements({ _ = dial.size }, { dial.size = 2 }) == 1)
        #expect(announcements({ _ = dial.hour }, { dial.hour = 2 }) == 1)
        #expect(announcements({ _ = dial.hour }, { (dial as Clock).hour = 2 }) == 1)
        #expect(announcements({ _ = (dial as Clock).ticks }, { dial.$ticks.update { $0 += 1 } }) == 1)
        #expect(announcements({ _ = dial.isNight }, { dial.size = 2 }) == 0)
    }

    @Test("A class may conform to Observable in an extension, be generic, and belong to the main actor")
    @MainActor func otherClassesAreTracked() {
        @MainActor final class View: KeyValueObservable, Observable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var width = 0
        }
        let (box, view) = (Box("a"), View())
        #expect(announcements({ _ = box.content }, { box.content = "b" }) == 1)
        #expect(announcements({ _ = view.width }, { view.width = 1 }) == 1)
    }

    struct Failure: Error {}

    @Test("Swift is told before the change, while the old value is there and may be read, also if the change throws")
    func swiftIsToldBeforeTheChange() throws {
        let (clock, log) = (Clock(), EventLog<String>())
        // SAFETY: (of nonisolated(unsafe)) everything happens on this thread.
        nonisolated(unsafe) let same = clock
        func track(_ change: () throws -> Void) rethrows {
            withObservationTracking(
                { _ = (clock.hour, clock.cities) }, onChange: { log.append("\(unsafe same.hour) \(unsafe same.cities)") })
            try change()
        }
        track { clock.hour = 1 }
        track { clock.cities.append("Bonn") }
        #expect(throws: Failure.self) { try track { try clock.cities.removeAll { _ in throw Failure() } } }
        track { clock.hour = 2 }
        try log.expect(["0 [\"Ulm\"]", "1 [\"Ulm\"]", "1 [\"Ulm\", \"Bonn\"]", "1 [\"Ulm\", \"Bonn\"]"])
    }

    // MARK: Classes that are not tracked

    final class Plain: KeyValueObject {
        @Observed var hour = 0
        @AtomicObserved var ticks = 0
    }
    final class Late: KeyValueObject, Observable {
        @Observed var hour = 0
    }

    private func storesNothing(_ object: some KeyValueObservable) -> Bool { object.keyValueRegistrar.observers.isIdle }

    @Test("A class that does not conform to Observable stores nothing for Swift's tracking")
    func aClassThatDoesNotConformStoresNothing() {
        let (plain, clock) = (Plain(), Clock())
        #expect(announcements({ _ = (plain.hour, plain.ticks) }, { (plain.hour, plain.ticks) = (1, 1) }) == 0)
        #expect(storesNothing(plain) && storesNothing(clock))
        clock.hour = 1
        #expect(storesNothing(clock))
        _ = clock.hour
        #expect(!storesNothing(clock))
    }

    @Test("A subclass of KeyValueObject that adds Observable is not tracked, and that is reported where it is observed first")
    func aSubclassThatAddsObservableIsReported() {
        Warnings.listen()
        let late = Late()
        #expect(announcements({ _ = late.hour }, { late.hour = 1 }) == 0)
        final class Observer {}
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        let start: UInt = #line
        observations.observe(late, \.hour) { _, _ in }
        observations.observe(Clock(), \.hour) { _, _ in }
        observations.observe(Plain(), \.hour) { _, _ in }
        #expect(Warnings.about(start...#line) == ["untrackedClass 1"])
        #expect(Warnings.messages(start...#line).allSatisfy { $0.hasPrefix("`Late`, which is observed at ") })
    }
}

extension TrackedClassTests.Box: Observable {}
