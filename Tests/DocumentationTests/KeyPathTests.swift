import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the article on key paths.
@Suite struct KeyPathTests {
    // snippet: key-path-model
    final class Address: KeyValueObject {
        @Observed var street = "Elm Street"
    }

    final class Person: KeyValueObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var isFormal = false
        @Observed var home: Address?
        var friends = ["Bea"]  // not observed

        var name: String { isFormal ? "Ms \(lastName)" : firstName }
    }
    // end snippet

    // snippet: key-path-declared
    final class Report: KeyValueObject {
        @Observed var title = "Report"
        private var lines = 0  // not observed

        var summary: String { "\(title), \(lines) lines" }
        var header: String { "# \(summary)" }

        func write() {
            // This notifies the observers of `header`, too.
            withChange(of: \.summary) { lines += 1 }
        }

        override static func keyPathsForValuesAffectingValue(
            for key: ObservedKeyPath
        ) -> Set<AnyKeyPath> {
            switch key {
            case \Report.header: [\Report.summary]
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

    @Test("Article on key paths: what is declared, and announced by hand")
    func declared() {
        let (report, card) = (Report(), Card())
        card.observations.observe(report, \.header) { card, header in card.heard.append(header) }
        report.write()
        report.title = "Minutes"
        #expect(card.heard == ["# Report, 0 lines", "# Report, 1 lines", "# Minutes, 1 lines"])
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
