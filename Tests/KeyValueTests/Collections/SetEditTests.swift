import SafeKVO
import Testing

/// What observers of a set hear of each thing that can be done to it through a reference.
@Suite struct SetEditTests {
    let listener = Listener<Set<Int>>()

    @Test("Rules 28 and 29: each operation announces one change, with what really came and went", arguments: SetOperation.all)
    func eachOperationAnnouncesOnce(_ operation: SetOperation) {
        let shelf = Shelf(tags: operation.start)
        listener.listen(to: shelf, \.tags)
        operation.run(shelf.mutableSetValue(for: \.tags))
        #expect(shelf.tags == operation.result)
        #expect(listener.changes == operation.expected([.old, .new], \Shelf.tags))
        #expect(listener.getters == [operation.result])
    }

    @Test("Rules 5 and 7: each operation tells each observer what it asked for, and no more", arguments: SetOperation.all)
    func eachObserverHearsWhatItAskedFor(_ operation: SetOperation) {
        let subsets = ArrayEditTests.subsets
        for isAlone in [true, false] {
            for group in isAlone ? subsets.map({ [$0] }) : [subsets] {
                let shelf = Shelf(tags: operation.start)
                let listeners = group.map { _ in Listener<Set<Int>>() }
                for (listener, options) in zip(listeners, group) { listener.listen(to: shelf, \.tags, options) }
                for listener in listeners { _ = listener.removeAll() }
                operation.run(shelf.mutableSetValue(for: \.tags))
                for (listener, options) in zip(listeners, group) {
                    let getters = options.contains(.prior) ? [operation.start, operation.result] : [operation.result]
                    #expect(listener.changes == operation.expected(options, \Shelf.tags), "\(options), alone: \(isAlone)")
                    #expect(listener.getters == getters, "\(options), alone: \(isAlone)")
                }
            }
        }
    }

    @Test("The form that takes the value gets the whole set", arguments: SetOperation.all)
    func theValueFormGetsTheWholeSet(_ operation: SetOperation) {
        let shelf = Shelf(tags: operation.start)
        let observations = ObservationController(observer: listener)
        var (heard, different): ([Set<Int>], [Set<Int>]) = ([], [])
        observations.observe(shelf, \.tags) { _, tags in heard.append(tags) }
        observations.observe(shelf, \.tags, removing: .duplicates, tag: "different") { _, tags in different.append(tags) }
        operation.run(shelf.mutableSetValue(for: \.tags))
        #expect(heard == [operation.start, operation.result])
        #expect(different == (operation.start == operation.result ? [operation.start] : [operation.start, operation.result]))
    }

    @Test("Rule 18: a path that ends in the set keeps the kind", arguments: SetOperation.all)
    func aPathToTheSetKeepsTheKind(_ operation: SetOperation) {
        let shelf = Shelf(tags: operation.start)
        let (ofPart, ofCount) = (Listener<Set<Int>>(), Listener<Int>())
        listener.listen(to: shelf, \.part.tags, [.old, .new, .prior])
        ofPart.listen(to: shelf.part, \.tags, [.old, .new, .prior])
        ofCount.listen(to: shelf, \.part.tags.count)
        operation.run(shelf.mutableSetValue(for: \.part.tags))
        #expect(shelf.part.tags == operation.result)
        #expect(listener.changes == operation.expected([.old, .new, .prior], \Shelf.part.tags))
        #expect(ofPart.changes == operation.expected([.old, .new, .prior], \Shelf.Part.tags))
        #expect(
            ofCount.changes == [
                KeyValueChange(newValue: operation.result.count, oldValue: operation.start.count)
            ])
        #expect(shelf.tags == operation.start)
    }

    @Test("Rule 28: a union that adds nothing still notifies, with an empty new set")
    func aUnionThatAddsNothingStillNotifies() {
        let shelf = Shelf(tags: [1, 2])
        listener.listen(to: shelf, \.tags)
        shelf.mutableSetValue(for: \.tags).formUnion([1])
        #expect(listener.changes == [KeyValueChange(kind: .insertion, newValue: [])])
    }
}
