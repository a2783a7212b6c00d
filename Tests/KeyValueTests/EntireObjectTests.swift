import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// `\.self`: any property of an object.
@MainActor @Suite struct EntireObjectTests {
    class Person: KeyValueObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var friends: [String] = []
        @Observed var boss: Person?
        @Observed var secret = 0
        @AtomicObserved var visits = 0
        /// Not observable: announced by hand.
        var mood = "fine"
        var fullName: String { "\(firstName) \(lastName)" }

        func cheerUp() {
            withChange(of: \.mood) { mood = "merry" }
        }

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool {
            key != \Person.secret && super.automaticallyNotifiesObservers(for: key)
        }
    }

    final class Employee: Person {
        @Observed var title = "Dr"
    }

    final class Counters: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) nothing but atomic properties.
        @AtomicObserved var first = 0
        @AtomicObserved var second = 0
        @AtomicObserved var third = 0
        @AtomicObserved var fourth = 0
    }

    final class Observer: Sendable {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    private func observe(_ person: Person, options: KeyValueObservingOptions = [.new]) {
        observations.observe(person, \.self, options: options) { [log] _, _, change in
            log.append(change.isPrior ? "prior" : change.isInitial ? "initial" : "changed")
        }
    }

    private func heard() -> Int {
        defer { log.removeAll() }
        return log.events.count
    }

    @Test("The key path self is any property: also one that nobody has observed or set before, each change once")
    func anyProperty() {
        let person = Employee()
        observe(person)
        person.firstName = "Bea"
        #expect(heard() == 1)
        person.firstName = "Cleo"
        person.lastName = "Fox"
        #expect(heard() == 2)
        person.title = "Prof"
        #expect(heard() == 1)
        person.visits = 1
        #expect(heard() == 1)
        person.friends.append("Dee")
        #expect(heard() == 1)
        person.mutableArrayValue(for: \.friends).append("Eve")
        #expect(heard() == 1)
        person.boss = Person()
        #expect(heard() == 1)
    }

    @Test("The first change of a property counts, whichever way it is made", arguments: ["update", "proxy", "in place", "batch", "pair"])
    func firstChange(_ way: String) {
        let person = Person()
        observe(person)
        switch way {
        case "update": person.$visits.update { $0 += 1 }
        case "proxy": person.mutableArrayValue(for: \.friends).append("Eve")
        case "in place": person.friends.append("Dee")
        case "batch": withBatchedChanges { person.firstName = "Bea" }
        default:
            person.willChangeValue(for: \.mood)
            person.mood = "grim"
            person.didChangeValue(for: \.mood)
        }
        #expect(heard() == 1)
    }

    @Test("What an object announces by hand is a change of it; what is announced by hand only is no change when assigned")
    func byHand() {
        let person = Person()
        observe(person)
        person.cheerUp()
        #expect(heard() == 1)
        person.secret = 1
        #expect(heard() == 0)
        person.withChange(of: \.secret) { person.secret = 2 }
        #expect(heard() == 1)
        person.secret = 3
        #expect(heard() == 0)
    }

    @Test("A derived property that others observe makes no second call")
    func derivedOnce() {
        let person = Person()
        let other = EventLog<String>()
        observations.observe(person, \.fullName) { _, name in other.append(name) }
        observe(person)
        person.firstName = "Bea"
        #expect(heard() == 1)
        observations.observe(person, \.fullName, tag: "later") { _, name in other.append(name) }
        person.lastName = "Fox"
        #expect(heard() == 1)
        #expect(other.events == ["Ann Lee", "Bea Lee", "Bea Lee", "Bea Fox", "Bea Fox"])
    }

    @Test("What happens to other objects that a property leads to is no change of the object")
    func otherObjects() {
        let person = Person()
        let boss = Person()
        person.boss = boss
        observe(person)
        observations.observe(person, \.boss?.firstName) { _, _ in }
        boss.firstName = "Zoe"
        #expect(heard() == 0)
        person.boss = nil
        #expect(heard() == 1)
    }

    @Test("A batch is one call, whatever changes in it")
    func batch() {
        let person = Person()
        observe(person)
        withBatchedChanges {
            person.firstName = "Bea"
            person.lastName = "Fox"
            person.visits += 1
            person.cheerUp()
            #expect(heard() == 0)
        }
        #expect(heard() == 1)
    }

    @Test("Prior and initial calls come as for any key path, and the value is the object")
    func options() {
        let person = Person()
        observe(person, options: [.initial, .prior])
        person.firstName = "Bea"
        person.cheerUp()
        #expect(log.events == ["initial", "prior", "changed", "prior", "changed"])
        var values: [Person] = []
        observations.observe(person, \.self, tag: "values") { _, person in values.append(person) }
        person.lastName = "Fox"
        #expect(values.map(ObjectIdentifier.init) == [ObjectIdentifier(person), ObjectIdentifier(person)])
    }

    @Test("Nothing is left when the last observation ends, and setters make no lists then")
    func removal() {
        let person = Person()
        observe(person)
        person.firstName = "Bea"
        #expect(observations.unobserve(person, \.self) == 1)
        #expect(person.observerCount == 0)
        let lists = person.propertyListCount
        person.lastName = "Fox"
        #expect(heard() == 1)
        #expect(person.propertyListCount == lists)
        observe(person)
        person.lastName = "Ray"
        #expect(heard() == 1)
        observations.unobserve(person)
        #expect(person.observerCount == 0)
    }

    @Test("An object that is observed as a whole goes like any other")
    func lifetime() {
        let quiet = ObservationController(observer: observer, retainsObserved: false)
        weak var gone: Person?
        let ends = EventLog<ObservationEndReason>()
        do {
            let person = Person()
            gone = person
            quiet.observe(
                person, \.self, options: [], handler: { [log] _, _, _ in log.append("changed") }, onTermination: { ends.append($0) })
            person.firstName = "Bea"
        }
        #expect(gone == nil)
        #expect(heard() == 1)
        #expect(ends.events == [.objectDeinitialized])
    }

    @Test("Registering warns of nothing")
    func noWarning() {
        let first: UInt = #line
        observe(Person())
        observations.observe(Person(), \.self, tag: "again") { _, _ in }
        #expect(Warnings.about(first...first + 2).isEmpty)
    }

    @Test("Handlers that change further properties for the first time are told of those too")
    func nested() {
        let person = Person()
        observations.observe(person, \.self, options: []) { [log] _, person, _ in
            log.append("\(person.visits)")
            if person.visits < 3 { person.visits += 1 }
            if person.lastName == "Lee" { person.lastName = "Fox" }
        }
        person.firstName = "Bea"
        // Bea, three visits, and Fox, who is set in the innermost call.
        #expect(log.events.count == 5)
    }

    @Test("First changes on several threads at once are each told once", arguments: 0..<50)
    func threads(_ round: Int) async {
        let counters = Counters()
        let calls = Atomic(0)
        let sharing = ObservationController(observer: observer)
        sharing.observe(counters, \.self, options: .new, on: .anyThread { _, _, _ in calls.wrappingAdd(1, ordering: .relaxed) })
        await withTaskGroup { group in
            group.addTask { await Threads.run { for value in 1...50 { counters.first = value } } }
            group.addTask { await Threads.run { for value in 1...50 { counters.second = value } } }
            group.addTask { await Threads.run { for _ in 1...50 { counters.$third.update { $0 += 1 } } } }
            group.addTask { await Threads.run { for value in 1...50 { counters.fourth = value } } }
        }
        let count = calls.load(ordering: .relaxed)
        #expect(count == 200)
        sharing.invalidate()
        #expect(counters.observerCount == 0)
    }
}
