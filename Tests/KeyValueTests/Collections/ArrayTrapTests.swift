import Foundation
import SafeKVO
import Testing

/// What traps on a plain array traps here, before anybody hears of a change.
@Suite struct ArrayTrapTests {
    static let misuses: [(String, @Sendable (MutableArrayValue<Shelf, Int>) -> Void)] = [
        ("read before", { _ = $0[-1] }),
        ("read behind", { _ = $0[3] }),
        ("read a slice behind", { _ = $0[2..<4] }),
        ("read a slice before", { _ = $0[-1..<1] }),
        ("remove at absurd indexes", { $0.remove(at: RangeSet(Int.min..<Int.max)) }),
        ("read behind the last number", { _ = $0[$0.index(after: Int.max)] }),
        ("read before the first number", { _ = $0[$0.index(before: Int.min)] }),
        ("read far away", { _ = $0[$0.index(Int.max, offsetBy: Int.max)] }),
        ("set before", { $0[-1] = 9 }),
        ("set behind", { $0[3] = 9 }),
        ("change behind", { $0[3] += 9 }),
        ("insert before", { $0.insert(9, at: -1) }),
        ("insert behind", { $0.insert(9, at: 4) }),
        ("insert contents behind", { $0.insert(contentsOf: [8, 9], at: 4) }),
        ("insert nothing behind", { $0.insert(contentsOf: [], at: 4) }),
        ("remove before", { $0.remove(at: -1) }),
        ("remove behind", { $0.remove(at: 3) }),
        ("remove at indexes behind", { $0.remove(at: RangeSet([0..<1, 3..<4])) }),
        ("remove at indexes before", { $0.remove(at: RangeSet(-1..<1)) }),
        ("replace a range behind", { $0.replaceSubrange(2..<4, with: [8, 9]) }),
        ("replace a range before", { $0.replaceSubrange(-1..<1, with: []) }),
        ("replace all numbers", { $0.replaceSubrange(Int.min..<Int.max, with: []) }),
        ("replace an empty range behind", { $0.replaceSubrange(4..<4, with: []) }),
        ("swap with one behind", { $0.swapAt(0, 3) }),
        ("swap one before", { $0.swapAt(-1, 0) }),
        ("swap one behind with itself", { $0.swapAt(3, 3) }),
    ]

    @Test("An index out of range traps, and nothing is announced", arguments: misuses.indices)
    func anIndexOutOfRangeTraps(index: Int) async {
        let name = Self.misuses[index].0
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent], "\(name)") { [index] in
            let shelf = Shelf(items: [1, 2, 3])
            let observer = Listener<[Int]>()
            let observations = ObservationController(observer: observer)
            // Whoever hears of it ends the process well, and the test fails.
            observations.observe(shelf, \.items, options: [.old, .new, .prior]) { _, _, _ in exit(EXIT_SUCCESS) }
            ArrayTrapTests.misuses[index].1(shelf.mutableArrayValue(for: \.items))
            // As does what does not trap.
            exit(EXIT_SUCCESS)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(": MutableArrayValue"), "\(name): \(message.prefix(200))")
    }

    @Test("Numbers that no position has are counted on without a trap")
    func numbersAreCountedOn() {
        let items = Shelf(items: [1]).mutableArrayValue(for: \.items)
        #expect(items.index(after: .max) == .min)
        #expect(items.index(before: .min) == .max)
        #expect(items.index(.max, offsetBy: 2) == .min + 1)
        #expect(items.distance(from: .max, to: .min) == 1)
    }

    @Test("Removing an element of nothing traps, and nothing is announced", arguments: [true, false])
    func removingOfNothingTraps(first: Bool) async {
        await #expect(processExitsWith: .failure) { [first] in
            let shelf = Shelf()
            let observer = Listener<[Int]>()
            let observations = ObservationController(observer: observer)
            observations.observe(shelf, \.items, options: .prior) { _, _, _ in exit(EXIT_SUCCESS) }
            let items = shelf.mutableArrayValue(for: \.items)
            _ = first ? items.removeFirst() : items.removeLast()
            exit(EXIT_SUCCESS)
        }
    }

    @Test("An index that a prior handler puts out of range traps, although observers were called")
    func aPriorHandlerPutsAnIndexOutOfRange() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = Shelf(items: [1, 2, 3])
            let observer = Listener<[Int]>()
            let observations = ObservationController(observer: observer)
            observations.observe(shelf, \.items, options: .prior) { _, shelf, change in
                if change.kind == .removal {
                    shelf.items = []
                } else if !change.isPrior {
                    FileHandle.standardError.write(Data("set;".utf8))
                }
            }
            shelf.mutableArrayValue(for: \.items).remove(at: 2)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.hasPrefix("set;"))
    }

    @Test("The message names what was wrong")
    func theMessageNamesWhatWasWrong() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(items: [1, 2, 3]).mutableArrayValue(for: \.items).insert(9, at: 5)
        }
        #if DEBUG  // Optimized code traps without a word.
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("MutableArrayValue<Shelf, Int>: position 5 is out of range, because the array has 3 elements."))
        #else
            #expect(result != nil)
        #endif
    }
}
