import SafeKVO
import Testing

/// The difference that a change makes.
@Suite struct DifferenceTests {
    let listener = Listener<[Int]>()

    @Test("Applied to the old array, the difference gives the new one", arguments: ArrayOperation.all)
    func itLeadsFromTheOldArrayToTheNew(_ operation: ArrayOperation) throws {
        let shelf = Shelf(items: operation.start)
        listener.listen(to: shelf, \.items)
        operation.run(shelf.mutableArrayValue(for: \.items))
        let difference = try #require(listener.changes.first?.difference)
        #expect(operation.start.applying(difference) == operation.result)
    }

    @Test("It is there if what it takes was asked for: the new elements, the old, or both")
    func itIsThereIfWhatItTakesIsThere() {
        let needs: [(KeyValueChangeKind, KeyValueObservingOptions, (MutableArrayValue<Shelf, Int>) -> Void)] = [
            (.insertion, .new, { $0.append(4) }),
            (.removal, .old, { $0.removeLast() }),
            (.replacement, [.old, .new], { $0[0] = 9 }),
            (.setting, [.old, .new], { $0.replaceSubrange(0..<2, with: [9]) }),
        ]
        for (kind, need, run) in needs {
            for options in [[], .old, .new, [.old, .new]] as [KeyValueObservingOptions] {
                let shelf = Shelf(items: [1, 2, 3])
                let listener = Listener<[Int]>()
                listener.listen(to: shelf, \.items, options)
                run(shelf.mutableArrayValue(for: \.items))
                #expect(listener.changes.map(\.kind) == [kind])
                #expect((listener.changes.first?.difference != nil) == options.isSuperset(of: need), "\(kind) \(options)")
            }
        }
    }

    @Test("A setting is compared; the call at registration and the one before a setting have no difference")
    func aSettingIsCompared() throws {
        let shelf = Shelf(items: [1, 2, 3])
        listener.listen(to: shelf, \.items, [.initial, .prior, .old, .new])
        shelf.items = [0, 1, 3]
        let differences = listener.changes.map(\.difference)
        #expect(differences.count == 3)
        #expect(differences[0] == nil)
        #expect(differences[1] == nil)
        #expect(differences[2] == [0, 1, 3].difference(from: [1, 2, 3]))
    }

    @Test("A change made by hand that does not fit has no difference")
    func aChangeThatDoesNotFitHasNone() {
        let misfits = [
            KeyValueChange(kind: .insertion, newValue: [1]),
            KeyValueChange(kind: .insertion, newValue: [1], indexes: RangeSet(0..<2)),
            KeyValueChange(kind: .removal, oldValue: [1, 2], indexes: RangeSet(0..<1)),
            KeyValueChange(kind: .replacement, newValue: [1], oldValue: [1, 2], indexes: RangeSet(0..<2)),
        ]
        for misfit in misfits { #expect(misfit.difference == nil, "\(misfit)") }
    }

    @Test("The steps name the indexes and the elements")
    func theStepsNameIndexesAndElements() throws {
        let change = KeyValueChange(kind: .replacement, newValue: ["c", "d"], oldValue: ["a", "b"], indexes: RangeSet([0..<1, 2..<3]))
        let difference = try #require(change.difference)
        #expect(
            Array(difference) == [
                .remove(offset: 2, element: "b", associatedWith: nil), .remove(offset: 0, element: "a", associatedWith: nil),
                .insert(offset: 0, element: "c", associatedWith: nil), .insert(offset: 2, element: "d", associatedWith: nil),
            ])
    }
}
