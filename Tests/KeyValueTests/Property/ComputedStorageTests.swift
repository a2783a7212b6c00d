import SafeKVO
import Testing

/// The static subscripts of the property wrappers are public, because the compiler calls them.
///
/// So a program may pass any key path as `storage:`.
@Suite struct ComputedStorageTests {
    /// Has computed properties of wrappers' types, whose accessors need an initialized object.
    final class Faker: KeyValueObject {
        final class Part {
            var items = [1, 2, 3]
            let box = AtomicObserved(wrappedValue: 5)
            let weak = WeakObserved<Part>(wrappedValue: nil)
        }
        @Observed var part = Part()
        @AtomicObserved var atomic = 1
        @WeakObserved var weak: Part?
        @Observed var other = 1
        var computed: Observed<Part> {
            get { Observed(wrappedValue: part) }
            set {}
        }
        var computedAtomic: AtomicObserved<Int> {
            get { part.items.isEmpty ? AtomicObserved(wrappedValue: 1) : part.box }
            set { part.items.append(4) }
        }
        var computedWeak: WeakObserved<Part> {
            get { part.items.isEmpty ? WeakObserved(wrappedValue: nil) : part.weak }
            set { part.items.append(4) }
        }
    }

    final class Observer {
        private(set) lazy var observations = ObservationController(observer: self)
    }

    private static func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("Rule 36b: a write of an observed property whose `storage:` leads to a computed one ends the program with a message")
    func computedStorage() async {
        let results = await [
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (faker, observer) = (Faker(), Observer())
                observer.observations.observe(faker, \.part) { _, _ in }
                Observed<Faker.Part>[_enclosingInstance: faker, wrapped: \Faker.part, storage: \Faker.computed] = Faker.Part()
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (faker, observer) = (Faker(), Observer())
                observer.observations.observe(faker, \.atomic) { _, _ in }
                AtomicObserved<Int>[_enclosingInstance: faker, wrapped: \Faker.atomic, storage: \Faker.computedAtomic] = 7
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (faker, observer) = (Faker(), Observer())
                observer.observations.observe(faker, \.weak) { _, _ in }
                WeakObserved<Faker.Part>[_enclosingInstance: faker, wrapped: \Faker.weak, storage: \Faker.computedWeak] = nil
            },
        ]
        for result in results { #expect(Self.message(result).contains("`storage:` names no stored property of `Faker`")) }
    }
}
