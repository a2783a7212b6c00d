import SafeKVO
import SafeKVOTesting
import Testing

/// A registrar and a slot belong to the object that stores them: whatever an object hands out instead ends the program with a message.
@Suite struct ForeignRegistrarTests {
    final class Store {
        let keyValueRegistrar = KeyValueRegistrar()
        let eventRegistrar = EventRegistrar<Int>()
    }

    /// Hands out the registrar of another object.
    final class Borrower: KeyValueObservable, ObservationSource {
        let store: Store
        @Observed var x = 1
        var total: Int { x }

        init(_ store: Store) { self.store = store }

        var keyValueRegistrar: KeyValueRegistrar { _read { yield store.keyValueRegistrar } }
        var eventRegistrar: EventRegistrar<Int> { _read { yield store.eventRegistrar } }
    }

    /// Hands out the registrar of an observed object of another class, whose property is stored at the same place.
    final class Lender: KeyValueObject {
        @Observed var name = "a name that is stored on the heap"
    }

    final class Thief: KeyValueObservable {
        let lender: Lender
        @Observed var number = 0x4141_4141

        init(_ lender: Lender) { self.lender = lender }

        var keyValueRegistrar: KeyValueRegistrar { _read { yield lender.keyValueRegistrar } }
    }

    /// Makes a registrar for each access.
    final class Forgetful: KeyValueObservable, ObservationSource {
        @Observed var x = 1
        var keyValueRegistrar: KeyValueRegistrar { KeyValueRegistrar() }
        var eventRegistrar: EventRegistrar<Int> { EventRegistrar() }
    }

    class Owner: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }

    final class Guest: AutomaticObserver {
        let owner: Owner
        init(_ owner: Owner) { self.owner = owner }
        var observationSlot: ObservationSlot { _read { yield owner.observationSlot } }
    }

    final class Observer {
        lazy var observations = ObservationController(observer: self)
    }

    /// Has a computed property of a wrapper's type, whose value lies outside the object.
    final class Faker: KeyValueObject {
        @Observed var name = "a name that is stored on the heap"
        @Observed var other = 1
        @WeakObserved var friend: Store?
        var computed: Observed<String> {
            get { Observed(wrappedValue: "another name that is stored on the heap") }
            set {}
        }
        var computedFriend: WeakObserved<Store> {
            get { WeakObserved(wrappedValue: nil) }
            set {}
        }
    }

    private static func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func `observing through another object's registrar ends the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let observer = Observer()
            observer.observations.observe(Borrower(Store()), \.x) { _, _ in }
        }
        #expect(Self.message(result).contains("`Borrower.keyValueRegistrar` is not stored in the object itself."))
    }

    @Test func `observing a source through another object's registrar ends the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let observer = Observer()
            observer.observations.observe(Borrower(Store())) { (_: Observer, _: Int) in }
        }
        #expect(Self.message(result).contains("`Borrower.eventRegistrar` is not stored in the object itself."))
    }

    @Test func `a set through the registrar of another observed object ends the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (lender, observer) = (Lender(), Observer())
            observer.observations.observe(lender, \.name) { _, name in print(name) }
            Thief(lender).number = 2
        }
        #expect(Self.message(result).contains("`Thief.keyValueRegistrar` is not stored in the object itself."))
    }

    @Test func `a registrar that is made anew for each access ends the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let observer = Observer()
            observer.observations.observe(Forgetful(), \.x) { _, _ in }
        }
        #expect(Self.message(result).contains("`Forgetful.keyValueRegistrar` is not stored"))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let observer = Observer()
            observer.observations.observe(Forgetful()) { (_: Observer, _: Int) in }
        }
        #expect(Self.message(other).contains("`Forgetful.eventRegistrar` is not stored"))
    }

    @Test func `the slot of another observer ends the program with a message, used or not`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let owner = Owner()
            _ = owner.observations
            _ = Guest(owner).observations
        }
        #expect(Self.message(result).contains("`Guest.observationSlot` is not stored"))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let owner = Owner()
            _ = Guest(owner).nonRetainingObservations
        }
        #expect(Self.message(other).contains("`Guest.observationSlot` is not stored"))
    }

    /// A base class may hand out what its subclass stores: it is one object.
    class Base: KeyValueObservable {
        var keyValueRegistrar: KeyValueRegistrar { preconditionFailure("The subclass stores it.") }
        @Observed var x = 1
        required init() {}
    }

    final class Derived<Payload>: Base {
        var payload: Payload?
        private let stored = KeyValueRegistrar()
        override var keyValueRegistrar: KeyValueRegistrar { _read { yield stored } }
    }

    @Test func `a registrar may be stored anywhere in the object`() {
        let (derived, observer) = (Derived<[Int]>(), Observer())
        var heard: [Int] = []
        observer.observations.observe(derived as Base, \.x) { _, x in heard.append(x) }
        derived.x = 2
        #expect(heard == [1, 2])
    }

    @Test func `a source delivers its own events, whoever asks it to`() {
        let (one, other, observer) = (Store.Bell(), Store.Bell(), Observer())
        var heard: [ObjectIdentifier] = []
        observer.observations.observe(one) { (_: Observer, bell: Store.Bell, _: Int) in heard.append(ObjectIdentifier(bell)) }
        one.eventRegistrar.notify(1)
        other.eventRegistrar.notify(2)
        #expect(heard == [ObjectIdentifier(one)])
    }

    @Test("Rule 36b: a `storage:` that leads out of the object ends a write and a read with a message")
    func storageOutside() async {
        let written = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (faker, observer) = (Faker(), Observer())
            observer.observations.observe(faker, \.other) { _, _ in }
            Observed<String>[_enclosingInstance: faker, wrapped: \Faker.name, storage: \Faker.computed] = "b"
        }
        #expect(Self.message(written).contains("`storage:` names no stored property of `Faker`"))
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (faker, observer) = (Faker(), Observer())
            observer.observations.observe(faker, \.other) { _, _ in }
            WeakObserved<Store>[_enclosingInstance: faker, wrapped: \Faker.friend, storage: \Faker.computedFriend] = nil
        }
        #expect(Self.message(read).contains("`storage:` names no stored property of `Faker`"))
    }
}

extension ForeignRegistrarTests.Store {
    final class Bell: ObservationSource {
        let eventRegistrar = EventRegistrar<Int>()
    }
}
