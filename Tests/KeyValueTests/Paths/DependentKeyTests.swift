import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct DependentKeyTests {
    final class Address: KeyValueObject {
        @Observed var street = "Elm"
    }

    class Person: KeyValueObject {
        @Observed var firstName = "Ann"
        @Observed var address = Address()
        /// Not observable: announced by hand.
        var lastName = "Lee"

        func salutation() -> String { "" }
        var fullName: String { "\(salutation())\(firstName) \(lastName)" }
        var greeting: String { "Dear \(fullName)" }
        var label: String { "to \(lastName)" }

        func rename(_ name: String) {
            withChange(of: \.lastName) { lastName = name }
        }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            switch key {
            case \Person.fullName: [\Person.firstName, \Person.lastName]
            case \Person.greeting: [\Person.fullName]
            case \Person.label: [\Person.address.street]
            default: super.keyPathsForValuesAffectingValue(for: key)
            }
        }
    }

    final class Employee: Person {
        var title = "Dr"
        override func salutation() -> String { "\(title) " }

        func promote(_ title: String) {
            withChange(of: \.title) { self.title = title }
        }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            let inherited = super.keyPathsForValuesAffectingValue(for: key)
            return key == \Employee.fullName ? inherited.union([\Employee.title]) : inherited
        }
    }

    /// Overrides the computed property itself.
    class Director: Person {
        var rank = 1
        override var fullName: String { "\(super.fullName) \(rank)" }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            let inherited = super.keyPathsForValuesAffectingValue(for: key)
            return key == \Director.fullName ? inherited.union([\Director.rank]) : inherited
        }
    }

    /// Overrides it for good: the compiler takes it for a property of its own.
    final class Chair: Person {
        override var fullName: String { "\(super.fullName) Esq" }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            switch key {
            case \Chair.fullName: super.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Person.fullName))
            default: super.keyPathsForValuesAffectingValue(for: key)
            }
        }
    }

    final class Observer {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    func listen<Object: KeyValueObservable, Value>(
        to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = [.old, .new], as name: String
    ) {
        observations.observe(object, keyPath, options: options) { [log] _, _, change in log.append("\(name): \(change.told)") }
    }

    @Test("Rule 17: what is declared adds to what is tracked")
    func whatIsDeclaredAddsToWhatIsTracked() throws {
        let person = Person()
        listen(to: person, \.fullName, [.old, .new, .prior], as: "full")
        person.firstName = "Bob"
        person.rename("Ray")
        try log.expect([
            "full: prior old Ann Lee", "full: after old Ann Lee new Bob Lee", "full: prior old Bob Lee",
            "full: after old Bob Lee new Bob Ray",
        ])
    }

    @Test("Rule 17: without a declaration or access(_:), an announcement of what a getter uses is not heard")
    func whatIsNotDeclaredIsNotHeard() throws {
        let person = Person()
        listen(to: person, \.label, as: "label")
        person.rename("Ray")
        try log.expect([])
    }

    @Test("Rule 17: a subclass adds to its superclass, through key paths of either class")
    func aSubclassAdds() throws {
        let employee = Employee()
        listen(to: employee as Person, \Person.fullName, as: "Person")
        listen(to: employee, \Employee.fullName, as: "Employee")
        let changes: [(String, String, () -> Void)] = [
            ("Dr Ann Lee", "Dr Bob Lee", { employee.firstName = "Bob" }),
            ("Dr Bob Lee", "Dr Bob Ray", { employee.rename("Ray") }),
            ("Dr Bob Ray", "Sir Bob Ray", { employee.promote("Sir") }),
        ]
        for (old, new, change) in changes {
            change()
            let heard = log.removeAll().sorted()
            #expect(heard == ["Employee: after old \(old) new \(new)", "Person: after old \(old) new \(new)"])
        }
    }

    @Test("Rules 17, 20: what is declared holds for a computed property that a subclass overrides, in both spellings")
    func anOverriddenComputedProperty() {
        let director = Director()
        listen(to: director as Person, \Person.fullName, as: "Person")
        listen(to: director, \Director.fullName, as: "Director")
        director.withChange(of: \.rank) { director.rank = 2 }
        let rank = log.removeAll().sorted()
        director.rename("Ray")
        let name = log.removeAll().sorted()
        #expect(ObservedKeyPath(\Director.fullName) == \Person.fullName)
        #expect(rank == ["Director: after old Ann Lee 1 new Ann Lee 2", "Person: after old Ann Lee 1 new Ann Lee 2"])
        #expect(name == ["Director: after old Ann Lee 2 new Ann Ray 2", "Person: after old Ann Lee 2 new Ann Ray 2"])
    }

    @Test("Rule 17: what a final class overrides is another property, of which it says itself what it depends on")
    func anOverrideInAFinalClass() {
        #expect(ObservedKeyPath(\Chair.fullName) != \Person.fullName)
        let chair = Chair()
        listen(to: chair as Person, \Person.fullName, as: "Person")
        listen(to: chair, \Chair.fullName, as: "Chair")
        chair.rename("Ray")
        let heard = log.removeAll().sorted()
        #expect(heard == ["Chair: after old Ann Lee Esq new Ann Ray Esq", "Person: after old Ann Lee Esq new Ann Ray Esq"])
    }

    @Test("Rule 17: the declared set can be asked for, in every spelling")
    func theDeclaredSetCanBeAskedFor() {
        #expect(
            Person.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Person.fullName)) == [\Person.firstName, \Person.lastName])
        #expect(
            Employee.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Person.fullName)) == [
                \Person.firstName, \Person.lastName, \Employee.title,
            ])
        #expect(
            Employee.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Employee.fullName)) == [
                \Person.firstName, \Person.lastName, \Employee.title,
            ])
        #expect(Person.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Person.firstName)) == [])
        #expect(KeyValueObject.keyPathsForValuesAffectingValue(for: ObservedKeyPath(\Person.fullName)) == [])
    }

    @Test("Rule 17: what is declared of what is declared counts too, with the old value two steps away (rule 20a)")
    func declaredOfDeclared() throws {
        let person = Person()
        listen(to: person, \.greeting, [.old, .new, .prior], as: "greeting")
        person.rename("Ray")
        person.firstName = "Bob"
        try log.expect([
            "greeting: prior old Dear Ann Lee", "greeting: after old Dear Ann Lee new Dear Ann Ray", "greeting: prior old Dear Ann Ray",
            "greeting: after old Dear Ann Ray new Dear Bob Ray",
        ])
    }

    @Test("Rule 17: an announcement of a derived key by hand is heard where it is declared")
    func anAnnouncementOfADerivedKey() throws {
        let person = Person()
        listen(to: person, \.greeting, as: "greeting")
        person.withChange(of: \.fullName) { person.lastName = "Ray" }
        try log.expect(["greeting: after old Dear Ann Lee new Dear Ann Ray"])
    }

    @Test("Rule 20a: a derived value is not evaluated before a change; the old one is that of the last evaluation")
    func oldValuesAreThoseOfTheLastEvaluation() throws {
        final class Counter: KeyValueObject {
            @Observed var base = 1
            var evaluations = 0
            var derived: Int {
                evaluations += 1
                return base
            }
            var next: Int { derived + 1 }
        }
        let counter = Counter()
        listen(to: counter, \.next, .new, as: "new")
        counter.evaluations = 0
        counter.base = 2
        #expect(counter.evaluations == 1)
        observations.unobserveAll()
        listen(to: counter, \.next, as: "old")
        counter.evaluations = 0
        counter.base = 3
        #expect(counter.evaluations == 1)
        try log.expect(["new: after new 3", "old: after old 3 new 4"])
    }

    @Test("Rule 16: cycles of declared keys end, and each key tells once")
    func cyclesOfDeclaredKeysEnd() throws {
        final class Ring: KeyValueObject {
            var stored = 0
            var a: Int { stored }
            var b: Int { stored + 10 }
            var c: Int { stored + 20 }

            override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                switch key {
                case \Ring.a: [\Ring.b]
                case \Ring.b: [\Ring.c]
                case \Ring.c: [\Ring.a, \Ring.c]
                default: []
                }
            }
        }
        let ring = Ring()
        listen(to: ring, \.a, as: "a")
        listen(to: ring, \.b, as: "b")
        listen(to: ring, \.c, as: "c")
        for (value, keyPath) in [(1, \Ring.a), (2, \Ring.b), (3, \Ring.c)] as [(Int, KeyPath<Ring, Int>)] {
            ring.withChange(of: keyPath) { ring.stored = value }
            let old = value - 1
            let heard = log.removeAll().sorted()
            #expect(
                heard == [
                    "a: after old \(old) new \(value)", "b: after old \(old + 10) new \(value + 10)",
                    "c: after old \(old + 20) new \(value + 20)",
                ])
        }
        observations.unobserveAll()
        #expect(ring.observerCount == 0)
    }

    @Test("Rule 16: a diamond of declared and tracked keys tells once")
    func aDiamondTellsOnce() throws {
        final class Order: KeyValueObject {
            @Observed var price = 1
            @Observed var lines: [Int] = []
            var net: Int { price * 10 }
            var tax: Int { price * 2 }
            var total: Int { net + tax + price + lines.count }

            override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                key == \Order.total ? [\Order.price, \Order.net, \Order.tax, \Order.lines, \Order.lines.count] : []
            }
        }
        let order = Order()
        listen(to: order, \.total, [.old, .new, .prior], as: "total")
        order.price = 2
        order.lines.append(1)
        order.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.lines) { order.lines.insert(0, at: 0) }
        try log.expect([
            "total: prior old 13", "total: after old 13 new 26", "total: prior old 26", "total: after old 26 new 27",
            "total: prior old 27", "total: after old 27 new 28",
        ])
    }

    @Test("Rule 17: a declared nested key path is followed through every object on the way")
    func aDeclaredNestedKeyPath() throws {
        let tracker = LifetimeTracker()
        let person = Person()
        let (first, second) = (tracker.track(Address()), Address())
        do {
            person.address = first
            listen(to: person, \.label, as: "label")
            first.street = "Oak"
            person.address = second
            first.street = "silent"
            #expect(first.observerCount == 0)
            second.street = "Ash"
            try log.expect(Array(repeating: "label: after old to Lee new to Lee", count: 3))
        }
        observations.unobserveAll()
        #expect(second.observerCount == 0)
        #expect(person.observerCount == 0)
    }

    @Test("Rule 17: declared keys of a class without the base class")
    func aClassWithoutTheBaseClass() throws {
        class Plain: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var width = 1
            var foreign = 2
            var area: Int { width * foreign * scale() }
            func scale() -> Int { 1 }

            class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                key == \Plain.area ? [\Plain.foreign] : []
            }
            class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Plain.width }
        }
        final class Special: Plain {
            var factor = 1
            override func scale() -> Int { factor }
            override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                super.keyPathsForValuesAffectingValue(for: key).union(key == \Special.area ? [\Special.factor] : [])
            }
        }
        let special = Special()
        listen(to: special, \.area, as: "area")
        special.withChange(of: \.foreign) { special.foreign = 3 }
        special.withChange(of: \.factor) { special.factor = 2 }
        special.width = 5
        special.withChange(of: \.width) { special.width = 7 }
        try log.expect(["area: after old 2 new 3", "area: after old 3 new 6", "area: after old 6 new 42"])
    }

    @Test("Rule 17: a dependency is forgotten with the last observation")
    func dependenciesEndWithTheLastObservation() throws {
        let person = Person()
        listen(to: person, \.greeting, as: "greeting")
        listen(to: person, \.label, as: "label")
        #expect(person.observerCount > 2)
        #expect(person.address.observerCount > 0)
        observations.unobserveAll()
        #expect(person.observerCount == 0)
        #expect(person.address.observerCount == 0)
        person.rename("Ray")
        try log.expect([])
        listen(to: person, \.greeting, as: "again")
        person.rename("May")
        try log.expect(["again: after old Dear Ann Ray new Dear Ann May"])
    }

    @MainActor @Suite struct OnTheMainActor {
        final class Model: @MainActor KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var first = "a"
            @Observed var silent = 0
            var last = "b"
            var both: String { first + last }

            static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
                key == \Model.both ? [\Model.last] : []
            }
            static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Model.silent }
        }

        let model = Model()
        let observer = Observer()

        @Test("Rules 17, 21: a class on the main actor declares keys and silences keys")
        func aClassOnTheMainActor() throws {
            let log = EventLog<String>()
            let observations = ObservationController(observer: observer)
            observations.observe(model, \.both, options: [.old, .new]) { _, _, change in log.append("both \(change.told)") }
            observations.observe(model, \.silent, options: [.old, .new]) { _, _, change in log.append("silent \(change.told)") }
            model.first = "c"
            model.withChange(of: \.last) { model.last = "d" }
            model.silent = 1
            model.withChange(of: \.silent) { model.silent = 2 }
            try log.expect(["both after old ab new cb", "both after old cb new cd", "silent after old 1 new 2"])
        }
    }
}
