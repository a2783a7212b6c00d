import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 20b: a property that a subclass overrides with a getter of its own has one meaning, what the getter returns.
@MainActor @Suite struct OverriddenPropertyTests {
    class Pet: KeyValueObject {
        @Observed var volume = 0
        @AtomicObserved var weight = 0
        @Observed var toys = [1]
    }

    class LoudDog: Pet {
        override var volume: Int {
            get { super.volume * 100 }
            set { super.volume = newValue }
        }
        override var weight: Int {
            get { super.weight * 100 }
            set { super.weight = newValue }
        }
        override var toys: [Int] {
            get { super.toys.map { $0 * 100 } }
            set { super.toys = newValue }
        }
    }

    final class Owner: KeyValueObject {
        @Observed var pet: Pet = Pet()
    }

    final class Observer {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() { observations = ObservationController(observer: observer) }

    private func observe<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>) {
        observations.observe(object, keyPath, options: [.initial, .prior, .old, .new]) { [log] _, _, change in
            let old = change.oldValue.map { "\($0)" } ?? "-"
            let new = change.newValue.map { "\($0)" } ?? "-"
            log.append((change.isInitial ? "initial" : change.isPrior ? "prior" : "after") + " \(old) \(new)")
        }
    }

    @Test("Rule 20b: initial, old and new value of an overridden property are what its getter returns")
    func anOverriddenProperty() throws {
        let dog = LoudDog()
        dog.volume = 2
        observe(dog as Pet, \.volume)
        dog.volume = 3
        try log.expect(["initial - 200", "prior 200 -", "after 200 300"])
    }

    @Test("Rule 20b: through the subclass too")
    func throughTheSubclass() throws {
        let dog = LoudDog()
        dog.volume = 2
        observe(dog, \.volume)
        dog.volume = 3
        try log.expect(["initial - 200", "prior 200 -", "after 200 300"])
    }

    @Test("Rule 20b: of an atomic property")
    func anAtomicProperty() throws {
        let dog = LoudDog()
        dog.weight = 2
        observe(dog as Pet, \.weight)
        dog.weight = 3
        try log.expect(["initial - 200", "prior 200 -", "after 200 300"])
    }

    @Test("Rule 20b: at the end of a path")
    func atTheEndOfAPath() throws {
        let (owner, dog) = (Owner(), LoudDog())
        dog.volume = 2
        observe(owner, \.pet.volume)
        owner.pet = dog
        dog.volume = 3
        try log.expect(["initial - 0", "prior 0 -", "after 0 200", "prior 200 -", "after 200 300"])
    }

    @Test("Rule 20b: of a collection, whose change is then one of the whole")
    func aCollection() throws {
        let dog = LoudDog()
        observe(dog as Pet, \.toys)
        dog.toys = [2]
        try log.expect(["initial - [100]", "prior [100] -", "after [100] [200]"])
    }

    @Test("Rule 20b: in a batch")
    func inABatch() throws {
        let dog = LoudDog()
        dog.volume = 2
        observations.observe(dog as Pet, \.volume, options: [.old, .new]) { [log] _, _, change in
            log.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        withBatchedChanges {
            dog.volume = 3
            dog.volume = 4
        }
        try log.expect(["200 400"])
    }
}
