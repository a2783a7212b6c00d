import SafeKVO
import SafeKVOTesting
import Testing

/// Objects of a class that is `Equatable` and `Hashable`: which object is observed is decided by identity.
@Suite struct EqualObjectsTests {
    final class City: KeyValueObject, Hashable {
        @Observed var name: String
        @Observed var twin: City?

        init(_ name: String) { self.name = name }

        static func == (a: City, b: City) -> Bool { a.name == b.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()

    @Test("Equal objects are observed apart, and removed apart")
    func equalObjectsAreObservedApart() throws {
        let (first, second) = (City("Ulm"), City("Ulm"))
        let observations = ObservationController(observer: observer)
        #expect(observations.observe(first, \.name, options: .new) { _, _, _ in log.append("first") } == .added)
        #expect(observations.observe(second, \.name, options: .new) { _, _, _ in log.append("second") } == .added)
        second.name = "Bonn"
        first.name = "Kiel"
        try log.expect(["second", "first"])
        second.name = "Kiel"
        try log.expect(["second"])
        #expect(observations.unobserve(first) == 1)
        second.name = "Trier"
        try log.expect(["second"])
    }

    @Test("An object that becomes another by equality and hash while it is observed stays the object that is observed")
    func anObjectMayChangeItsHash() throws {
        let city = City("Ulm")
        let observations = ObservationController(observer: observer)
        observations.observe(city, \.name, options: .new) { _, _, change in log.append(change.newValue ?? "") }
        city.name = "Bonn"
        #expect(observations.observe(city, \.name) { _, _ in log.append("twice") } == .alreadyObserved)
        #expect(observations.unobserve(city, \.name) == 1)
        city.name = "Kiel"
        try log.expect(["Bonn"])
    }

    @Test("A path follows the object that is there: an equal one that takes its place is followed instead, and only values are compared")
    func aPathFollowsTheObjectThatIsThere() throws {
        let (city, twin) = (City("Ulm"), City("Bonn"))
        let observations = ObservationController(observer: observer)
        city.twin = City("Bonn")
        observations.observe(city, \.twin?.name) { _, name in log.append(name ?? "none") }
        let cities = EventLog<String>()
        observations.observe(city, \.twin, removing: .duplicates) { _, city in cities.append(city?.name ?? "none") }
        city.twin = twin
        twin.name = "Kiel"
        city.twin = City("Jena")
        try log.expect(["Bonn", "Bonn", "Kiel", "Jena"])
        try cities.expect(["Bonn", "Jena"])
    }
}
