import Foundation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Collections that several threads edit through references.
@Suite struct SharedCollectionTests {
    final class Model: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) its properties are atomic.
        @AtomicObserved var items: [Int] = []
        @AtomicObserved var tags: Set<Int> = []
    }
    final class Observer: Sendable {}
    /// What was told of an array.
    struct Told: Equatable {
        let indexes: RangeSet<Int>?
        let elements: [Int]?
    }
    static let threads = 4

    @Test("Rules 36, 37: what threads append and insert is all there, and each is told with its index", arguments: [false, true])
    func nothingIsLost(hasPriorObserver: Bool) throws {
        let (model, ofItems, ofTags) = (Model(), EventLog<Told>(), EventLog<Set<Int>?>())
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        let count = 500
        let kinds = EventLog<KeyValueChangeKind>()
        observations.observe(
            model, \.items, options: [.old, .new],
            on: .anyThread { _, _, change in
                ofItems.append(Told(indexes: change.indexes, elements: change.newValue))
                kinds.append(change.kind)
            })
        observations.observe(
            model, \.tags, options: [.old, .new],
            on: .anyThread { _, _, change in
                ofTags.append(change.newValue)
                kinds.append(change.kind)
            })
        let priors = EventLog<Bool>()
        if hasPriorObserver {
            observations.observe(
                model, \.items, options: .prior, tag: "prior",
                on: .anyThread { _, _, change in
                    if change.isPrior { priors.append(true) }
                })
        }
        DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
            let items = model.mutableArrayValue(for: \.items)
            let tags = model.mutableSetValue(for: \.tags)
            for number in 0..<count {
                items.append(thread * count + number)
                tags.insert(thread * count + number)
            }
        }
        let total = Self.threads * count
        #expect(model.items.sorted() == Array(0..<total))
        #expect(model.tags == Set(0..<total))
        #expect(kinds.events.allSatisfy { $0 == .insertion })
        #expect(ofItems.events.count == total)
        #expect(priors.events.count == (hasPriorObserver ? total : 0))
        let items = model.items
        var replica = [Int?](repeating: nil, count: total)
        for told in ofItems.events {
            let range = try #require(told.indexes?.ranges.first)
            #expect(range.count == 1)
            #expect(told.elements == [items[range.lowerBound]])
            replica[range.lowerBound] = told.elements?.first
        }
        #expect(replica == items)
        #expect(ofTags.events.count == total)
        #expect(ofTags.events.reduce(into: Set()) { $0.formUnion($1 ?? []) } == model.tags)
    }

    @Test("Rule 36: whatever threads do to an array at once, nothing traps")
    func nothingTraps() async {
        await #expect(processExitsWith: .success) {
            let model = Model()
            let observer = Observer()
            let observations = ObservationController(observer: observer)
            observations.observe(
                model, \.items, options: [.old, .new],
                on: .anyThread { _, _, change in
                    if let indexes = change.indexes, let elements = change.newValue ?? change.oldValue {
                        precondition(indexes.ranges.reduce(0) { $0 + $1.count } == elements.count)
                    }
                })
            model.items = Array(0..<100)
            DispatchQueue.concurrentPerform(iterations: SharedCollectionTests.threads) { thread in
                let items = model.mutableArrayValue(for: \.items)
                for round in 0..<3000 {
                    switch (thread + round) % 8 {
                    case 0: items.append(round)
                    case 1: items.change { _ = $0.popLast() }
                    case 2: items.removeAll { $0 % 7 == 3 }
                    case 3: items.change { $0.sort() }
                    case 4: items.append(contentsOf: [round, round])
                    case 5: items.change { $0.reverse() }
                    case 6: items.change { $0.shuffle() }
                    default: items.change { _ = $0.partition { $0.isMultiple(of: 2) } }
                    }
                }
            }
        }
    }

    @Test("Rule 28: what threads unite, subtract and intersect is told as it was done")
    func setsAreToldAsItWasDone() {
        let model = Model()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        let balance = EventLog<Int>()
        observations.observe(
            model, \.tags, options: [.old, .new],
            on: .anyThread { _, _, change in
                balance.append((change.newValue?.count ?? 0) - (change.oldValue?.count ?? 0))
            })
        DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
            let tags = model.mutableSetValue(for: \.tags)
            for round in 0..<300 {
                switch (thread + round) % 6 {
                case 0, 1: tags.formUnion(round..<round + 10)
                case 2: tags.subtract(round..<round + 5)
                case 3: tags.formIntersection(0..<round + 8)
                case 4: tags.change { $0.formSymmetricDifference(round - 3..<round + 3) }
                default: tags.insert(round)
                }
            }
        }
        #expect(balance.events.reduce(0, +) == model.tags.count)
    }

    @Test("An edit is worked out anew for what another thread wrote meanwhile, and tells what it did")
    func anEditIsWorkedOutAnew() throws {
        let model = Model()
        model.items = [1, 2, 3]
        let log = EventLog<String>()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.items, options: [.prior, .old, .new], on: .anyThread { _, _, change in log.append(change.told) })
        var asked: [Int] = []
        model.mutableArrayValue(for: \.items).removeAll { item in
            if asked.isEmpty { OtherThread.run { model.items = [4, 6, 7] } }
            asked.append(item)
            return item.isMultiple(of: 2)
        }
        #expect(asked == [1, 2, 3, 4, 6, 7])
        #expect(model.items == [7])
        try log.expect([
            "prior old [1, 2, 3]", "after old [1, 2, 3] new [4, 6, 7]", "prior removal old [4, 6] at 0..<2",
            "after removal old [4, 6] at 0..<2",
        ])
    }

    @Test("A closure that writes the array that is being edited: the edit's result stands, as a setting, and it is reported")
    func aClosureThatWritesTheArray() throws {
        let model = Model()
        model.items = [1, 2, 3]
        let log = EventLog<String>()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.items, options: [.old, .new], on: .anyThread { _, _, change in log.append(change.told) })
        struct Endless: Error {}
        var asked = 0
        try model.mutableArrayValue(for: \.items).removeAll { item in
            asked += 1
            if asked > 6 { throw Endless() }
            if item == 1 { model.items.append(9) }
            return item == 2
        }
        #expect(asked == 3)
        #expect(model.items == [1, 3])
        try log.expect(["after old [1, 2, 3] new [1, 2, 3, 9]", "after old [1, 2, 3, 9] new [1, 3]"])
    }

    @Test("Rule 2: a handler of the call before an edit that writes: both are told, and the edit as it was done")
    func aPriorHandlerThatWrites() throws {
        let model = Model()
        model.items = [1, 2]
        model.tags = [1, 2]
        let log = EventLog<String>()
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        let hasWritten = Flag()
        observations.observe(
            model, \.items, options: [.prior, .old, .new],
            on: .anyThread { _, model, change in
                log.append(change.told)
                if change.isPrior, !hasWritten.isSet {
                    hasWritten.set()
                    model.items = [0]
                }
            })
        model.mutableArrayValue(for: \.items).append(3)
        #expect(model.items == [0, 3])
        try log.expect([
            "prior insertion at 2..<3", "prior old [1, 2]", "after old [1, 2] new [0]", "after insertion new [3] at 1..<2",
        ])
    }
}
