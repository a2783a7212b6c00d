import SafeKVO
import Testing

/// Collections of a class of the main actor.
@MainActor @Suite struct MainActorCollectionTests {
    final class Box: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var items = [2]
        @Observed var tags: Set<Int> = []
    }

    let box = Box()
    let listener = Listener<[Int]>()

    @Test("They are changed on the main actor, as any others are where their object is")
    func theyAreChangedOnTheMainActor() {
        listener.listen(to: box, \.items)
        let items = box.mutableArrayValue(for: \.items)
        items.append(1)
        items.change { $0.sort() }
        box.mutableSetValue(for: \.tags).insert(1)
        #expect(box.items == [1, 2])
        #expect(box.tags == [1])
        #expect(listener.changes.map(\.kind) == [.insertion, .setting])
    }
}
