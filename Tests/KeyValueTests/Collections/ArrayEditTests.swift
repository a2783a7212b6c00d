import SafeKVO
import Testing

/// What observers of an array hear of each thing that can be done to it through a reference.
@MainActor @Suite struct ArrayEditTests {
    nonisolated static let subsets = (UInt8(0)..<16).map(KeyValueObservingOptions.init)

    let listener = Listener<[Int]>()

    @Test("Rules 27 and 29: each operation announces one change, with its kind, indexes and elements", arguments: ArrayOperation.all)
    func eachOperationAnnouncesOnce(_ operation: ArrayOperation) {
        let shelf = Shelf(items: operation.start)
        listener.listen(to: shelf, \.items)
        operation.run(shelf.mutableArrayValue(for: \.items))
        #expect(shelf.items == operation.result)
        #expect(listener.changes == operation.expected([.old, .new], \Shelf.items))
        #expect(listener.getters == [operation.result])
    }

    @Test("Rules 5 and 7: each operation tells each observer what it asked for, and no more", arguments: ArrayOperation.all)
    func eachObserverHearsWhatItAskedFor(_ operation: ArrayOperation) {
        let shelf = Shelf(items: operation.start)
        let listeners = Self.subsets.map { _ in Listener<[Int]>() }
        for (listener, options) in zip(listeners, Self.subsets) { listener.listen(to: shelf, \.items, options) }
        for (listener, options) in zip(listeners, Self.subsets) {
            #expect(listener.removeAll().count == (options.contains(.initial) ? 1 : 0), "\(options)")
        }
        operation.run(shelf.mutableArrayValue(for: \.items))
        for (listener, options) in zip(listeners, Self.subsets) {
            let getters = options.contains(.prior) ? [operation.start, operation.result] : [operation.result]
            #expect(listener.changes == operation.expected(options, \Shelf.items), "\(options)")
            #expect(listener.getters == getters, "\(options)")
        }
    }

    @Test("Each observer alone hears what it asked for: nobody need ask for more", arguments: ArrayOperation.all)
    func eachObserverAloneHearsWhatItAskedFor(_ operation: ArrayOperation) {
        for options in Self.subsets {
            let shelf = Shelf(items: operation.start)
            let listener = Listener<[Int]>()
            listener.listen(to: shelf, \.items, options)
            _ = listener.removeAll()
            operation.run(shelf.mutableArrayValue(for: \.items))
            #expect(listener.changes == operation.expected(options, \Shelf.items), "\(options)")
        }
    }

    @Test("The form that takes the value gets the whole array", arguments: ArrayOperation.all)
    func theValueFormGetsTheWholeArray(_ operation: ArrayOperation) {
        let shelf = Shelf(items: operation.start)
        let observations = ObservationController(observer: listener)
        var (heard, different): ([[Int]], [[Int]]) = ([], [])
        observations.observe(shelf, \.items) { _, items in heard.append(items) }
        observations.observe(shelf, \.items, removing: .duplicates, tag: "different") { _, items in different.append(items) }
        operation.run(shelf.mutableArrayValue(for: \.items))
        #expect(heard == [operation.start, operation.result])
        #expect(different == (operation.changesNothing ? [operation.start] : [operation.start, operation.result]))
    }

    @Test("Rule 18: a path that ends in the array keeps kind and indexes", arguments: ArrayOperation.all)
    func aPathToTheArrayKeepsKindAndIndexes(_ operation: ArrayOperation) {
        let shelf = Shelf(items: operation.start)
        let (ofPart, ofCount) = (Listener<[Int]>(), Listener<Int>())
        listener.listen(to: shelf, \.part.items, [.old, .new, .prior])
        ofPart.listen(to: shelf.part, \.items, [.old, .new, .prior])
        ofCount.listen(to: shelf, \.part.items.count)
        operation.run(shelf.mutableArrayValue(for: \.part.items))
        #expect(shelf.part.items == operation.result)
        #expect(listener.changes == operation.expected([.old, .new, .prior], \Shelf.part.items))
        #expect(listener.getters == [operation.start, operation.result])
        #expect(ofPart.changes == operation.expected([.old, .new, .prior], \Shelf.Part.items))
        #expect(
            ofCount.changes == [
                KeyValueChange(newValue: operation.result.count, oldValue: operation.start.count)
            ])
        #expect(shelf.items == operation.start)
    }

    @Test("Rule 18: so does a path whose last object's own array is changed", arguments: ArrayOperation.all)
    func aPathHearsOfItsLastObjectsArray(_ operation: ArrayOperation) {
        let shelf = Shelf(items: operation.start)
        let owner = Shelf(items: operation.start)
        listener.listen(to: shelf, \.items, [.old, .new])
        let holder = Holder(owner)
        let ofHolder = Listener<[Int]>()
        ofHolder.listen(to: holder, \.shelf.items, [.old, .new])
        operation.run(owner.mutableArrayValue(for: \.items))
        #expect(ofHolder.changes == operation.expected([.old, .new], \Holder.shelf.items))
        #expect(listener.changes.isEmpty)
    }

    final class Holder: KeyValueObject {
        @Observed var shelf: Shelf

        init(_ shelf: Shelf) {
            self.shelf = shelf
        }
    }

    @Test("An atomic array announces as any other", arguments: ArrayOperation.all)
    func anAtomicArrayAnnounces(_ operation: ArrayOperation) {
        let shelf = Shelf()
        shelf.shared = operation.start
        listener.listen(to: shelf, \.shared, [.old, .new, .prior])
        operation.run(shelf.mutableArrayValue(for: \.shared))
        #expect(shelf.shared == operation.result)
        #expect(listener.changes == operation.expected([.old, .new, .prior], \Shelf.shared))
    }

    @Test("A handler may change the array: its change is one of its own, after the one under way")
    func aHandlerMayChangeTheArray() {
        let shelf = Shelf(items: [1])
        let observations = ObservationController(observer: listener)
        let items = shelf.mutableArrayValue(for: \.items)
        observations.observe(shelf, \.items, options: .new, tag: "first") { _, _, change in
            if change.newValue == [2] { items.append(3) }
        }
        listener.listen(to: shelf, \.items)
        items.append(2)
        #expect(shelf.items == [1, 2, 3])
        #expect(
            listener.changes == [
                KeyValueChange(kind: .insertion, newValue: [3], indexes: RangeSet(2..<3)),
                KeyValueChange(kind: .insertion, newValue: [2], indexes: RangeSet(1..<2)),
            ])
    }
}
