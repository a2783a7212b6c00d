import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// `change`, which does to a collection everything for which a proxy has no operation of its own.
@MainActor @Suite struct CollectionChangeTests {
    struct Failure: Error, Equatable { let number: Int }

    let shelf = Shelf(items: [3, 1, 2], tags: [1, 2])
    let ofItems = Listener<[Int]>()
    let ofTags = Listener<Set<Int>>()
    var items: MutableArrayValue<Shelf, Int> { shelf.mutableArrayValue(for: \.items) }

    @Test("Rule 27: it is one change, a setting with whole values and no indexes, in both phases")
    func itIsOneSetting() {
        ofItems.listen(to: shelf, \.items, [.prior, .old, .new])
        ofTags.listen(to: shelf, \.tags, [.prior, .old])
        items.change {
            $0.sort()
            $0.append(4)
        }
        shelf.mutableSetValue(for: \.tags).change { $0.remove(2) }
        #expect(ofItems.changes.map(\.told) == ["prior old [3, 1, 2]", "after old [3, 1, 2] new [1, 2, 3, 4]"])
        #expect(ofTags.changes.map(\.kind) == [.setting, .setting])
        #expect(ofTags.changes.map(\.oldValue) == [[1, 2], [1, 2]])
        #expect(ofTags.changes.map(\.isPrior) == [true, false])
    }

    @Test("It throws the closure's error with its type")
    func errorsHaveTheirType() {
        do throws(Failure) {
            try items.change { items throws(Failure) in
                items.append(9)
                throw Failure(number: 5)
            }
            Issue.record("Nothing was thrown.")
        } catch {
            #expect(error.number == 5)
        }
        #expect(shelf.items == [3, 1, 2, 9])
    }

    @Test("Rule 12: a closure that throws keeps what it has changed, and notifies", arguments: [false, true])
    func whatWasChangedBeforeAnErrorIsKept(isShared: Bool) {
        let keyPath: ReferenceWritableKeyPath<Shelf, [Int]> = isShared ? \.shared : \.items
        shelf[keyPath: keyPath] = [1, 2]
        ofItems.listen(to: shelf, keyPath)
        #expect(throws: Failure(number: 1)) {
            try shelf.mutableArrayValue(for: keyPath).change {
                $0.append(3)
                throw Failure(number: 1)
            }
        }
        #expect(shelf[keyPath: keyPath] == [1, 2, 3])
        #expect(ofItems.changes.map(\.told) == ["after old [1, 2] new [1, 2, 3]"])
    }

    @Test("Rule 2: what a prior handler writes is not lost, also if the number of elements stays: the closure is called again")
    func aPriorHandlerWrites() {
        let observations = ObservationController(observer: ofItems)
        var isFirst = true
        observations.observe(shelf, \.items, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.items[0] = 7
        }
        ofItems.listen(to: shelf, \.items)
        var calls = 0
        items.change {
            calls += 1
            $0.sort()
        }
        #expect(calls == 2)
        #expect(shelf.items == [1, 2, 7])
        #expect(ofItems.changes.map(\.told) == ["after old [3, 1, 2] new [7, 1, 2]", "after old [7, 1, 2] new [1, 2, 7]"])
    }

    @Test("Rule 2: the same of a set")
    func aPriorHandlerWritesASet() {
        let observations = ObservationController(observer: ofTags)
        var isFirst = true
        observations.observe(shelf, \.tags, options: .prior) { _, shelf, _ in
            guard isFirst else { return }
            isFirst = false
            shelf.tags = [8, 9]
        }
        shelf.mutableSetValue(for: \.tags).change { $0.insert(3) }
        #expect(shelf.tags == [3, 8, 9])
    }

    final class QuietBox: KeyValueObject {
        @Observed var items = [2, 1]
        @Observed var tags: Set<Int> = []
        /// The getter returns another array each time, and its elements cannot be compared.
        var parts: [Part] {
            get { items.map { Part(number: $0) } }
            set { items = newValue.map(\.number) }
        }
        struct Part { let number: Int }
    }

    @Test("It reports no overwriting, of an empty collection neither")
    func itIsNoMistake() {
        Warnings.listen()
        let box = QuietBox()
        for _ in 0..<2 {
            box.mutableArrayValue(for: \.items).change { $0.sort() }
            box.mutableArrayValue(for: \.items).change { $0 = [] }
            box.mutableSetValue(for: \.tags).change { $0.insert(1) }
            box.mutableSetValue(for: \.tags).change { $0 = [] }
            box.mutableArrayValue(for: \.parts).append(QuietBox.Part(number: 3))
        }
        #expect(box.items == [3])
        #expect(Warnings.count(of: "QuietBox") == 0)
    }

    @Test("A closure that writes the property is called once, and its copy stands")
    func aClosureThatWrites() {
        ofItems.listen(to: shelf, \.items)
        var calls = 0
        items.change { items in
            calls += 1
            shelf.items = []
            items.append(4)
        }
        #expect(calls == 1)
        #expect(shelf.items == [3, 1, 2, 4])
        #expect(ofItems.changes.map(\.told) == ["after old [3, 1, 2] new []", "after old [] new [3, 1, 2, 4]"])
    }

    @Test("Rule 36: of a property that threads share, it is one step, and starts again if another thread was faster")
    func anotherThreadIsFaster() throws {
        let shelf = SharedCollectionTests.Model()
        shelf.items = [3, 1]
        let log = EventLog<String>()
        let observer = SharedCollectionTests.Observer()
        let observations = ObservationController(observer: observer)
        observations.observe(shelf, \.items, options: [.old, .new], on: .anyThread { _, _, change in log.append(change.told) })
        var calls = 0
        shelf.mutableArrayValue(for: \.items).change {
            calls += 1
            if calls == 1 { OtherThread.run { shelf.items = [5, 4] } }
            $0.sort()
        }
        #expect(calls == 2)
        #expect(shelf.items == [4, 5])
        try log.expect(["after old [3, 1] new [5, 4]", "after old [5, 4] new [4, 5]"])
    }

    @Test("Rule 47: in a batch, and rule 29: inside a manual notification, it is a part of it")
    func insideOthers() {
        ofItems.listen(to: shelf, \.items)
        withBatchedChanges {
            items.change { $0.sort() }
            items.append(4)
        }
        shelf.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) { items.change { $0.insert(0, at: 0) } }
        #expect(ofItems.changes.map(\.told) == ["after old [3, 1, 2] new [1, 2, 3, 4]", "after insertion new [0] at 0..<1"])
    }

    @Test("Rule 18: whoever reads the collection hears of it once, at the end of a path and behind it")
    func atTheEndOfAPath() {
        let ofCount = Listener<Int>()
        ofItems.listen(to: shelf, \.part.items)
        ofCount.listen(to: shelf, \.part.items.count)
        shelf.mutableArrayValue(for: \.part.items).change { $0.removeLast(2) }
        #expect(ofItems.changes.map(\.told) == ["after old [3, 1, 2] new [3]"])
        #expect(ofCount.changes.map(\.told) == ["after old 3 new 1"])
    }
}
