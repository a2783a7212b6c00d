import Foundation
import SafeKVO
import Synchronization
import Testing

/// Values that the runtime can bridge to an object of Foundation, such as arrays: that takes as long as the array is.
@Suite struct BridgedValueTests {
    /// A value that counts how often the runtime bridges it.
    struct Bridged: _ObjectiveCBridgeable, Equatable {
        static let count = Mutex(0)

        var numbers: [Int]

        func _bridgeToObjectiveC() -> NSObject {
            Self.count.withLock { $0 += 1 }
            return NSObject()
        }

        static func _forceBridgeFromObjectiveC(_ source: NSObject, result: inout Bridged?) {}
        static func _conditionallyBridgeFromObjectiveC(_ source: NSObject, result: inout Bridged?) -> Bool { false }
        static func _unconditionallyBridgeFromObjectiveC(_ source: NSObject?) -> Bridged { Bridged(numbers: []) }
    }

    final class Shelf: KeyValueObject {
        @Observed var plain = Bridged(numbers: [1])
        @Observed var optional: Bridged? = Bridged(numbers: [2])
        @Observed var any: Any = Bridged(numbers: [3])
        @Observed var either: (any Equatable)?? = Bridged(numbers: [4])
        @Observed var next: Shelf?
        @Observed var anyNext: Any?
        var sum: Int {
            (plain.numbers + (optional?.numbers ?? []) + ((any as? Bridged)?.numbers ?? [])).reduce(0, +) + (either == nil ? 0 : 1000)
        }
        var nextSum: Int { (next?.sum ?? 0) + ((anyNext as? Shelf)?.sum ?? 0) }
    }

    final class Viewer {
        var sums: [Int] = []
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("A getter that reads a value does not make the runtime bridge the value to an object")
    func readingBridgesNothing() {
        let (shelf, viewer) = (Shelf(), Viewer())
        Bridged.count.withLock { $0 = 0 }
        viewer.observations.observe(shelf, \.sum) { viewer, sum in viewer.sums.append(sum) }
        shelf.plain.numbers.append(10)
        shelf.optional = Bridged(numbers: [20])
        shelf.any = Bridged(numbers: [30])
        shelf.either = .some(nil)
        viewer.observations.observe(shelf, \.plain.numbers.count, initial: false) { viewer, count in viewer.sums.append(count) }
        shelf.plain.numbers.append(100)
        #expect(viewer.sums == [1006, 1016, 1034, 1061, 1061, 1161, 3])
        #expect(Bridged.count.withLock { $0 } == 0)
    }

    @Test("Objects that a getter reads are still followed, whatever type the property has")
    func objectsAreFollowed() {
        let (shelf, viewer) = (Shelf(), Viewer())
        viewer.observations.observe(shelf, \.nextSum) { viewer, sum in viewer.sums.append(sum) }
        let (next, anyNext) = (Shelf(), Shelf())
        shelf.next = next
        shelf.anyNext = anyNext
        next.plain = Bridged(numbers: [2])
        anyNext.plain = Bridged(numbers: [3])
        shelf.next = nil
        next.plain = Bridged(numbers: [4])
        #expect(viewer.sums == [0, 1006, 2012, 2013, 2015, 1008])
    }
}
