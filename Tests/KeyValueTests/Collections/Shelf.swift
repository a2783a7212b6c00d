import SafeKVO

/// The subject of the tests of collections: an array and a set of its own, and the same in another object that it holds.
final class Shelf: KeyValueObject {
    final class Part: KeyValueObject {
        @Observed var items: [Int] = []
        @Observed var tags: Set<Int> = []
    }

    @Observed var items: [Int] = []
    @Observed var tags: Set<Int> = []
    @Observed var part = Part()
    @AtomicObserved var shared: [Int] = []

    convenience init(items: [Int] = [], tags: Set<Int> = []) {
        self.init()
        self.items = items
        self.tags = tags
        part.items = items
        part.tags = tags
    }
}
