import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import Testing

/// The examples of the article on key paths.
@Suite struct KeyPathsTests {
    // snippet: key-path-model
    final class Address: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var street = "Elm Street"
    }

    final class Person: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var isFormal = false
        @Observed var home: Address?
        let birthplace = Address()
        var office = Address()  // not observed

        var name: String { isFormal ? "Ms \(lastName)" : firstName }
    }
    // end snippet

    // snippet: key-path-weak
    final class Track: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title: String
        @WeakObserved var next: Track?
        init(_ title: String) { self.title = title }
    }
    // end snippet

    // snippet: key-path-access
    final class Report: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title = "Report"
        private var lines = 0  // not observed

        var summary: String {
            access(\.summary)
            return "\(title), \(lines) lines"
        }
        var header: String { "# \(summary)" }

        func write() {
            // This notifies the observers of `header`, too.
            withChange(of: \.summary) { lines += 1 }
        }
    }
    // end snippet

    // snippet: key-path-declared
    class Ledger: KeyValueObject {
        private(set) var balance = 0  // its getter reports nothing
        func pay(_ amount: Int) {
            withChange(of: \.balance) { balance += amount }
        }
    }

    final class Account: Ledger {
        var statement: String { "\(balance) €" }

        override static func keyPathsForValuesAffectingValue(
            for key: ObservedKeyPath
        ) -> Set<AnyKeyPath> {
            switch key {
            case \Account.statement: [\Account.balance]
            default: super.keyPathsForValuesAffectingValue(for: key)
            }
        }
    }
    // end snippet

    final class Card {
        var heard: [String] = []
        lazy var observations = ObservationController(observer: self)
    }

    @Test("Article on key paths: a computed property and an optional chain")
    func theFirstExample() {
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        let (person, card) = (Person(), Card())
        let observations = card.observations
        // snippet: key-path-kinds
        observations.observe(person, \.name) { card, name in
            print(name)
        }  // prints Ann
        observations.observe(person, \.home?.street) { card, street in
            print(street ?? "no home")
        }  // prints no home
        person.firstName = "Cleo"  // prints Cleo
        person.home = Address()  // prints Elm Street
        person.home?.street = "Oak Lane"  // prints Oak Lane
        // end snippet
        #expect(printed == ["Ann", "no home", "Cleo", "Elm Street", "Oak Lane"])
        withExtendedLifetime(card) {}
    }

    @Test("Article on key paths: every kind")
    func everyKind() {
        let (person, card) = (Person(), Card())
        let observations = card.observations
        observations.observe(person, \.firstName) { card, name in card.heard.append(name) }
        observations.observe(person, \.name) { card, name in card.heard.append("name \(name)") }
        observations.observe(person, \.home?.street) { card, street in card.heard.append(street ?? "nowhere") }
        observations.observe(person, \.home?.street.count) { card, length in card.heard.append("\(length ?? 0)") }
        #expect(card.heard == ["Ann", "name Ann", "nowhere", "0"])
        card.heard = []
        person.home = Address()
        #expect(card.heard == ["Elm Street", "10"])
        card.heard = []
        person.home?.street = "Oak"
        #expect(card.heard == ["Oak", "3"])
        person.home = nil
        card.heard = []
        person.firstName = "Cleo"
        #expect(card.heard == ["Cleo", "name Cleo"])
    }

    @Test("Article on key paths: what the last evaluation read is what counts")
    func conditions() {
        let (person, card) = (Person(), Card())
        card.observations.observe(person, \.name) { card, name in card.heard.append(name) }
        person.lastName = "Fox"
        #expect(card.heard == ["Ann"])
        person.isFormal = true
        person.firstName = "Bea"
        person.lastName = "Ray"
        #expect(card.heard == ["Ann", "Ms Fox", "Ms Ray"])
    }

    @Test("Article on key paths: a change of what is read is told, also if the value is equal")
    func equalValues() {
        let (person, card) = (Person(), Card())
        card.observations.observe(person, \.name) { card, name in card.heard.append(name) }
        card.observations.observe(person, \.name, removing: .duplicates, tag: "once") { card, name in card.heard.append("once \(name)") }
        person.firstName = "Ann"
        #expect(card.heard == ["Ann", "once Ann", "Ann"])
    }

    @Test("Article on key paths: a getter that calls access(_:) is followed by computed properties and longer key paths")
    func reported() {
        let (report, card) = (Report(), Card())
        card.observations.observe(report, \.header) { card, header in card.heard.append(header) }
        card.observations.observe(report, \.summary.count) { card, count in card.heard.append("\(count)") }
        card.heard = []
        report.write()
        #expect(card.heard.sorted() == ["# Report, 1 lines", "15"])
        card.heard = []
        report.title = "Minutes"
        #expect(card.heard.sorted() == ["# Minutes, 1 lines", "16"])
    }

    @Test("Article on key paths: what is declared is followed by observers of the key itself, and not by longer key paths")
    func declared() {
        let (account, card) = (Account(), Card())
        card.observations.observe(account, \.statement) { card, statement in card.heard.append(statement) }
        card.observations.observe(account, \.statement.count) { card, count in card.heard.append("\(count)") }
        account.pay(10)
        #expect(card.heard == ["0 €", "3", "10 €"])
    }

    @Test("Article on key paths: a weak property is followed, and its object's deallocation notifies nobody")
    func weakProperties() {
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        let card = Card()
        let observations = card.observations
        let track = Track("Aria")
        var gigue: Track? = Track("Gigue")
        // snippet: key-path-weak-use
        observations.observe(track, \.next?.title) { card, title in
            print(title ?? "the end")
        }  // prints the end
        track.next = gigue  // prints Gigue
        gigue?.title = "Polka"  // prints Polka
        // end snippet
        gigue = nil
        #expect(track.next == nil)
        #expect(printed == ["the end", "Gigue", "Polka"])
        withExtendedLifetime(card) {}
    }

    @Test("Article on key paths: what lies behind a constant is followed, and nothing is warned of")
    func constants() async {
        await #expect(processExitsWith: .success) {
            let (warnings, person, card) = (EventLog<String>(), Person(), Card())
            ObservationDiagnostics.warningHandler = { warnings.append($0.message) }
            card.observations.observe(person, \.birthplace.street) { card, street in card.heard.append(street) }
            person.birthplace.street = "Oak Lane"
            #expect(card.heard == ["Elm Street", "Oak Lane"])
            try warnings.expect([])
        }
    }

    @Test("Article on key paths: a plain property is not followed, and its manual notification is reported")
    func plainHops() async {
        await #expect(processExitsWith: .success) {
            let (warnings, log) = (EventLog<ObservationWarning.Kind>(), EventLog<String>())
            ObservationDiagnostics.warningHandler = { warnings.append($0.kind) }
            func print(_ line: String) { log.append(line) }
            func print(_ follows: [String], _ hops: [String]) { log.append("\(follows) \(hops)") }
            let (person, card) = (Person(), Card())
            let observations = card.observations
            // snippet: key-path-plain
            observations.observe(person, \.office.street) { card, street in
                print(street)
            }  // prints Elm Street
            person.office.street = "Oak Lane"  // prints Oak Lane
            // Nobody is called. The warning `unreportedHop` names `office`.
            person.withChange(of: \.office) { person.office = Address() }
            for observation in observations.observations {
                print(observation.follows, observation.unreportedHops)
            }  // prints [] ["office"]: the address that was followed is gone
            // end snippet
            try log.expect(["Elm Street", "Oak Lane", #"[] ["office"]"#])
            try warnings.expect([.unreportedHop])
            withExtendedLifetime(card) {}
        }
    }

    @Test("Article on key paths: the same key path, by whatever class it is written")
    func spellings() {
        class Base: KeyValueObject {
            @Observed var value = 0
        }
        final class Sub: Base {}
        let (sub, card) = (Sub(), Card())
        card.observations.observe(sub, \Sub.value) { card, value in card.heard.append("\(value)") }
        let again = card.observations.observe(sub as Base, \.value) { card, value in card.heard.append("\(value)") }
        #expect(again == .alreadyObserved)
        #expect(card.observations.unobserve(sub as Base, \.value) == 1)
    }
}
