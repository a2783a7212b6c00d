import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 20b: every value that is handed over is what the object's getter returns.
///
/// A chain follows the owner of each hop.
@Suite struct OverriddenGetterTests {
    class Pet: KeyValueObject {
        @Observed var volume = 0
        @Observed var tricks: [String] = []
    }

    /// Computes from the inherited property.
    final class LoudDog: Pet {
        override var volume: Int {
            get { super.volume * 100 }
            set { super.volume = newValue }
        }
    }

    /// Computes from the inherited property and from another one.
    class TunedDog: Pet {
        @Observed var factor = 2
        override var volume: Int {
            get { super.volume * factor }
            set { super.volume = newValue }
        }
    }

    /// Returns the stored value until it is too large.
    final class CappedDog: Pet {
        override var volume: Int {
            get { min(super.volume, 10) }
            set { super.volume = newValue }
        }
    }

    /// Overrides nothing.
    final class Cat: Pet {}

    final class Owner: KeyValueObject {
        @Observed var pet: Pet
        init(_ pet: Pet) { self.pet = pet }
    }

    final class Log {
        var lines: [String] = []
        lazy var observations = ObservationController(observer: self)

        func observe<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>) {
            observations.observe(object, keyPath, options: [.initial, .old, .new]) { log, _, change in log.lines.append(change.told) }
        }
    }

    let log = Log()

    @Test(arguments: [false, true]) func `an override that computes hands over what it returns`(viaBase: Bool) {
        let dog = LoudDog()
        dog.volume = 2
        viaBase ? log.observe(dog as Pet, \.volume) : log.observe(dog, \.volume)
        dog.volume = 3
        dog.volume += 1
        #expect(log.lines == ["initial new 200", "after old 200 new 300", "after old 300 new 30100"])
    }

    @Test func `an override that begins to compute later hands over what it returns`() {
        let dog = CappedDog()
        log.observe(dog, \.volume)
        for volume in [5, 12, 20, 7] { dog.volume = volume }
        #expect(
            log.lines == ["initial new 0", "after old 0 new 5", "after old 5 new 10", "after old 10 new 10", "after old 10 new 7"])
    }

    @Test func `what an override reads besides is a dependency`() {
        let dog = TunedDog()
        dog.volume = 3
        log.observe(dog, \.volume)
        dog.factor = 10
        dog.volume = 4
        #expect(log.lines == ["initial new 6", "after old 6 new 30", "after old 30 new 40"])
    }

    @Test func `two observers of an override, by base class and by subclass, are one observation`() {
        let dog = TunedDog()
        log.observe(dog, \.volume)
        #expect(log.observations.observe(dog as Pet, \.volume) { _, _ in } == .alreadyObserved)
        #expect(log.observations.unobserve(dog as Pet, \.volume) == 1)
        dog.volume = 1
        #expect(log.lines == ["initial new 0"])
    }

    @Test func `an override at the end of a path hands over what it returns`() {
        let owner = Owner(LoudDog())
        owner.pet.volume = 2
        log.observe(owner, \.pet.volume)
        owner.pet.volume = 3
        owner.pet = Cat()
        owner.pet.volume = 4
        #expect(log.lines == ["initial new 200", "after old 200 new 300", "after old 300 new 0", "after old 0 new 4"])
    }

    @Test func `an inherited property that nobody overrides keeps its kinds`() {
        let cat = Cat()
        log.observe(cat, \.tricks)
        cat.mutableArrayValue(for: \.tricks).append("sit")
        cat.tricks.append("purr")
        #expect(
            log.lines == [
                "initial new []", #"after insertion new ["sit"] at 0..<1"#, #"after old ["sit"] new ["sit", "purr"]"#,
            ])
        let owner = Owner(cat)
        log.lines = []
        log.observe(owner, \.pet.tricks)
        cat.mutableArrayValue(for: \.tricks).remove(at: 0)
        #expect(
            log.lines == [#"initial new ["sit", "purr"]"#, #"after removal old ["sit"] at 0..<1"#, #"after removal old ["sit"] at 0..<1"#])
    }

    // MARK: H1

    class Node: KeyValueObject { @Observed var value = 1 }

    /// Forwards to an object of the same class: the same place in another object.
    final class Doubled: Node {
        let inner = Node()
        override var value: Int {
            get { inner.value * 2 }
            set { inner.value = newValue }
        }
    }

    class Names: KeyValueObject { @Observed var value: [String] = ["a"] }
    /// A property of another type at the same place.
    class Number: KeyValueObject { @Observed var number = 1 }
    final class Described: Names {
        let number = Number()
        override var value: [String] {
            get { ["number \(number.number)"] }
            set {}
        }
    }

    final class Root: KeyValueObject {
        @Observed var child = Node()
        @Observed var names = Names()
    }

    @Test func `a path does not take another object's property for its own`() throws {
        let root = Root()
        log.observe(root, \.child.value)
        let doubled = Doubled()
        root.child = doubled
        doubled.inner.value = 21
        root.child = Node()
        root.child.value = 5
        #expect(log.lines == ["initial new 1", "after old 1 new 2", "after old 2 new 42", "after old 42 new 1", "after old 1 new 5"])
    }

    @Test func `a path that begins at a forwarding object is evaluated`() {
        let root = Root()
        let doubled = Doubled()
        root.child = doubled
        log.observe(root, \.child.value)
        doubled.inner.value = 5
        #expect(log.lines == ["initial new 2", "after old 2 new 10"])
    }

    @Test func `a hop is replaced by one that forwards to the same object`() {
        let root = Root()
        let doubled = Doubled()
        root.child = doubled.inner
        log.observe(root, \.child.value)
        doubled.inner.value = 3
        root.child = doubled
        doubled.inner.value = 4
        root.child = doubled.inner
        doubled.inner.value = 7
        #expect(
            log.lines == [
                "initial new 1", "after old 1 new 3", "after old 3 new 6", "after old 6 new 8", "after old 8 new 4", "after old 4 new 7",
            ])
    }

    @Test func `a property of another type is not read as the path's value`() {
        let root = Root()
        log.observe(root, \.names.value)
        let described = Described()
        root.names = described
        described.number.number = 0x4141_4141
        #expect(
            log.lines == [
                #"initial new ["a"]"#, #"after old ["a"] new ["number 1"]"#, #"after old ["number 1"] new ["number 1094795585"]"#,
            ])
    }

    /// M3: the setter of an override filters.
    final class Positive: Shelf {
        let inner = Shelf()
        override var items: [Int] {
            get { inner.items }
            set { inner.items = newValue.filter { $0 > 0 } }
        }
    }

    class Shelf: KeyValueObject { @Observed var items: [Int] = [] }

    @Test func `a proxy of an overridden property calls its setter`() {
        let shelf: Shelf = Positive()
        shelf.items = [1, -1]
        let items = shelf.mutableArrayValue(for: \.items)
        items.append(-5)
        items.append(2)
        #expect(shelf.items == [1, 2])
    }
}
