import Foundation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// The sorts of classes whose properties can be `@Observed`.
@Suite struct ObservedClassTests {
    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()

    // MARK: Subclasses

    class Base: KeyValueObject {
        @Observed var name = "base"
        @Observed var size = 0
    }
    class Middle: Base {
        @Observed var depth = 0
    }
    final class Derived: Middle {
        @Observed var colour = "red"
        var changes: [String] = []
        override var name: String {
            willSet { changes.append("willSet \(newValue)") }
            didSet { changes.append("didSet \(oldValue)") }
        }
        override var size: Int {
            get { super.size * 10 }
            set { super.size = newValue }
        }
    }

    @Test func eachClassOfAHierarchyMayAddProperties() throws {
        let derived = Derived()
        let observations = ObservationController(observer: observer)
        observations.observe(derived, \.depth, options: [.old, .new]) { _, _, change in log.append("depth \(change.told)") }
        observations.observe(derived, \.colour, options: [.old, .new]) { _, _, change in log.append("colour \(change.told)") }
        derived.depth = 1
        derived.colour = "blue"
        derived.name = "other"
        try log.expect(["depth after old 0 new 1", "colour after old red new blue"])
    }

    @Test func aPropertyMayBeOverriddenWithObserversInASubclass() throws {
        let derived = Derived()
        let observations = ObservationController(observer: observer)
        observations.observe(derived, \.name, options: [.old, .new]) { _, derived, change in
            log.append("\(change.told), so far \(derived.changes)")
        }
        derived.name = "a"
        (derived as Base).name = "b"
        try log.expect([
            #"after old base new a, so far ["willSet a"]"#,
            #"after old a new b, so far ["willSet a", "didSet base", "willSet b"]"#,
        ])
        #expect(derived.changes == ["willSet a", "didSet base", "willSet b", "didSet a"])
    }

    // The override of a final class is a property of its own as far as its key path tells, computed from the inherited one.
    @Test("A property that a final subclass overrides with observers is heard through both spellings, which are two observations")
    func anOverriddenPropertyIsHeardInBothSpellings() throws {
        let derived = Derived()
        let observations = ObservationController(observer: observer)
        #expect(observations.observe(derived, \Derived.name, options: .new) { _, _, change in log.append(change.told) } == .added)
        #expect(observations.observe(derived as Base, \Base.name, options: .new) { _, _, _ in log.append("again") } == .added)
        derived.name = "b"
        #expect(Set(log.removeAll()) == ["after new b", "again"])
        #expect(observations.unobserve(derived as Base, \Base.name) == 1)
        derived.name = "c"
        try log.expect(["after new c"])
    }

    @Test("A property overridden with a getter of its own is a computed one: its getter's values are told")
    func aPropertyOverriddenWithAGetterTellsTheGettersValues() throws {
        let derived = Derived()
        let observations = ObservationController(observer: observer)
        observations.observe(derived, \.size, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        derived.size = 1
        derived.size = 2
        try log.expect(["initial new 0", "after old 0 new 10", "after old 10 new 20"])
    }

    // MARK: Generic classes

    class Box<Value>: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var value: Value
        @Observed var count = 0
        init(_ value: Value) { self.value = value }
    }
    final class NamedBox<Value>: Box<Value> {
        @Observed var name = ""
    }

    @Test func aGenericClassMayBeObserved() throws {
        let number = Box(1)
        let text = Box("a")
        let observations = ObservationController(observer: observer)
        observations.observe(number, \.value, options: [.old, .new]) { _, _, change in log.append(change.told) }
        observations.observe(text, \.value, options: [.old, .new]) { _, _, change in log.append(change.told) }
        number.value = 2
        text.value = "b"
        number.count = 1
        try log.expect(["after old 1 new 2", "after old a new b"])
    }

    @Test func aSubclassOfAGenericClassMayBeObserved() throws {
        let box = NamedBox([1])
        let observations = ObservationController(observer: observer)
        observations.observe(box, \.value, options: [.old, .new]) { _, _, change in log.append("value \(change.told)") }
        observations.observe(box, \.name, options: [.old, .new]) { _, _, change in log.append("name \(change.told)") }
        observations.observe(box, \.count, options: [.old, .new]) { _, _, change in log.append("count \(change.told)") }
        box.value.append(2)
        box.name = "b"
        box.count += 1
        try log.expect(["value after old [1] new [1, 2]", "name after old  new b", "count after old 0 new 1"])
    }

    @Test func genericCodeMayObserveAnyObservableClass() throws {
        func observe<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>) -> ObservationController<
            Observer
        > {
            let observations = ObservationController(observer: observer)
            observations.observe(object, keyPath, options: [.old, .new]) { _, _, change in log.append(change.told) }
            return observations
        }
        let box = NamedBox(1)
        let base = Base()
        let controllers = [observe(box, \.value), observe(base, \.size)]
        box.value = 2
        base.size = 3
        try log.expect(["after old 1 new 2", "after old 0 new 3"])
        #expect(controllers.allSatisfy { $0.counters.delivered == 1 })
    }

    // MARK: Conformances written by hand

    final class Song: KeyValueObservable, Hashable, Codable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title: String
        @Observed var plays = 0

        init(title: String) { self.title = title }

        private enum CodingKeys: CodingKey { case title, plays }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
            plays = try container.decode(Int.self, forKey: .plays)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(title, forKey: .title)
            try container.encode(plays, forKey: .plays)
        }

        static func == (left: Song, right: Song) -> Bool { left.title == right.title }
        func hash(into hasher: inout Hasher) { hasher.combine(title) }
    }

    @Test func aHashableObjectIsObservedByIdentityNotByValue() throws {
        let songs = [Song(title: "a"), Song(title: "a")]
        #expect(songs[0] == songs[1])
        let observations = ObservationController(observer: observer)
        for (index, song) in songs.enumerated() {
            let result = observations.observe(song, \.plays, options: .new) { _, _, change in log.append("\(index) \(change.told)") }
            #expect(result == .added)
        }
        songs[1].plays = 1
        #expect(observations.unobserve(songs[0]) == 1)
        songs[0].plays = 2
        songs[1].title = "another hash"
        songs[1].plays = 3
        try log.expect(["1 after new 1", "1 after new 3"])
    }

    @Test func anObjectThatWasDecodedMayBeObserved() throws {
        let original = Song(title: "a")
        original.plays = 3
        let song = try JSONDecoder().decode(Song.self, from: JSONEncoder().encode(original))
        #expect(song.title == "a")
        let observations = ObservationController(observer: observer)
        observations.observe(song, \.plays, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        song.plays = 4
        original.plays = 9
        try log.expect(["initial new 3", "after old 3 new 4"])
    }
}
