import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 20c: `\.self` is one key, whatever class the object is seen as.
@Suite struct EntireObjectClassTests {
    class Animal: KeyValueObject {
        var mood = "fine"

        func cheerUpAsAnimal() { withChange(of: \Animal.self) { mood = "merry" } }

        func pairAsAnimal() {
            willChangeValue(for: \Animal.self)
            mood = "calm"
            didChangeValue(for: \Animal.self)
        }
    }

    class Dog: Animal {
        func cheerUpAsDog() { withChange(of: \Dog.self) { mood = "merry" } }
    }

    final class Puppy: Dog {
        func cheerUpAsPuppy() { withChange(of: \Puppy.self) { mood = "merry" } }
    }

    final class Kennel: Animal {
        @Observed var guest = Animal()
    }

    final class Observer {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() { observations = ObservationController(observer: observer) }

    private func observe<Object: KeyValueObservable>(_ object: Object, _ options: KeyValueObservingOptions = []) {
        observations.observe(object, \.self, options: options) { [log] _, _, change in log.append(change.isPrior ? "prior" : "after") }
    }

    @Test("Rule 20c: a change of self announced through the base class is heard through a subclass")
    func announcedThroughTheBase() throws {
        let puppy = Puppy()
        observe(puppy)
        puppy.cheerUpAsAnimal()
        puppy.cheerUpAsDog()
        puppy.cheerUpAsPuppy()
        puppy.pairAsAnimal()
        try log.expect(["after", "after", "after", "after"])
    }

    @Test("Rule 20c: a change of self announced through a subclass is heard through the base class")
    func announcedThroughTheSubclass() throws {
        let puppy = Puppy()
        observe(puppy as Animal)
        puppy.cheerUpAsPuppy()
        puppy.cheerUpAsDog()
        puppy.cheerUpAsAnimal()
        try log.expect(["after", "after", "after"])
    }

    @Test("Rule 20c: a pair that begins through one class and ends through another is one change")
    func aPairThroughTwoClasses() throws {
        let dog = Dog()
        observe(dog as Animal, .prior)
        dog.willChangeValue(for: \Dog.self)
        (dog as Animal).didChangeValue(for: \Animal.self)
        try log.expect(["prior", "after"])
    }

    @Test("Rules 20, 20c: the same object observed through two classes is one observation")
    func oneObservation() throws {
        let dog = Dog()
        #expect(observations.observe(dog, \.self, options: []) { _, _, _ in } == .added)
        #expect(observations.observe(dog as Animal, \.self, options: []) { _, _, _ in } == .alreadyObserved)
        #expect(observations.unobserve(dog as Animal, \.self) == 1)
        #expect(observations.unobserve(dog, \.self) == 0)
    }

    @Test("Rule 20c: removing an observation of the object that there is not makes no list")
    func lookingMakesNothing() {
        let kennel = Kennel()
        observations.observe(kennel, \.guest, options: []) { _, _, _ in }
        #expect(observations.unobserve(kennel, \.self) == 0 && observations.unobserve(kennel as Animal, \.self) == 0)
        #expect(kennel.madeListCount == 1)
    }

    @Test("Rules 20, 20c: a property of the class's own type is another key than the object")
    func aPropertyOfTheSameType() throws {
        let kennel = Kennel()
        observations.observe(kennel, \.guest, options: []) { [log] _, _, _ in log.append("guest") }
        #expect(observations.unobserve(kennel as Animal, \.self) == 0)
        observe(kennel as Animal)
        kennel.guest = Dog()
        try log.expect(["guest", "after"])
        kennel.cheerUpAsAnimal()
        try log.expect(["after"])
    }
}
