import SafeKVO
import Testing

/// The examples of the article on what observers may rely on.
@Suite struct SemanticsTests {
    final class Counter: KeyValueObject {
        @Observed var count = 0
    }

    final class Watcher {
        lazy var observations = ObservationController(observer: self)
    }

    @Test("Rules 8, 11 and 11a: a nested change is delivered at once, and values that it has overtaken are skipped")
    func aNestedChangeIsDeliveredAtOnce() {
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        let counter = Counter()
        let (a, b, c) = (Watcher(), Watcher(), Watcher())
        // snippet: nested
        a.observations.observe(counter, \.count, initial: false) { _, count in
            print("A: \(count)")
            if count == 1 { counter.count = 2 }
        }
        b.observations.observe(
            counter, \.count, options: [.old, .new]
        ) { _, _, change in
            print("B: \(change.oldValue ?? 0) to \(change.newValue ?? 0)")
        }
        c.observations.observe(counter, \.count, initial: false) { _, count in
            print("C: \(count)")
        }
        counter.count = 1  // prints A: 1, A: 2, B: 1 to 2, C: 2, B: 0 to 1
        // end snippet
        #expect(printed == ["A: 1", "A: 2", "B: 1 to 2", "C: 2", "B: 0 to 1"])
        #expect(c.observations.counters.overtaken == 1)
        withExtendedLifetime((a, b)) {}
    }
}
