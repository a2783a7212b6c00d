import SafeKVO
import Synchronization

/// Classes that answer nonsense when the library asks them, and code of the program that comes back while it is asked.
enum Answers {
    /// Says that everything depends on everything, on itself and on what is another class's.
    class Confused: KeyValueObject {
        @Observed var number = 0
        @Observed var other = 0
        var plain = 0
        var sum: Int { number + other }
        var product: Int { number * sum }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            [
                \String.count, \Confused.sum, \Confused.product, \Confused.self, \Confused.number, \Sub.own, \Whole.number, \[Int].count,
                \Confused.plain, \Confused.number.description.count, key.keyPath,
            ]
        }

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool {
            let (another, all) = (Whole(), Controllers())
            all.ofWatcher.observe(another, \.sum) { _, _ in }
            return key != \Confused.other
        }
    }

    final class Sub: Confused { @Observed var own = 0 }

    /// Has getters that do what no getter should.
    final class Busy: KeyValueObject {
        @Observed var number = 0
        @Observed var part: Whole? = Whole()
        @AtomicObserved var shared = 0
        let all = Controllers(retaining: false)
        private var count = 0

        /// Writes what it reads.
        var writing: Int {
            count += 1
            if count < 20 { number += 1 }
            return number
        }
        /// Observes and removes what it reads, itself too.
        var observing: Int {
            count += 1
            if count < 20 {
                all.ofWatcher.observe(self, \.observing) { _, _ in }
                all.ofWatcher.observe(self, \.number) { _, _ in }
                all.ofWatcher.unobserve(self, \.observing)
                all.ofWatcher.unobserveAll()
            }
            return number
        }
        /// Makes a new object each time.
        var fresh: Whole { Whole() }
        /// Announces, and makes batches.
        var announcing: Int {
            count += 1
            if count < 20 {
                withChange(of: \.announcing) { withBatchedChanges { number += 1 } }
                willChangeValue(for: \.announcing)
                didChangeValue(for: \.announcing)
            }
            return number
        }
        /// Replaces what it leads over.
        var replacing: Int? {
            count += 1
            if count < 20 { part = count.isMultiple(of: 2) ? nil : Whole() }
            return part?.number
        }
        /// Edits through a proxy.
        var editing: Int {
            count += 1
            if count < 20 { part?.mutableArrayValue(for: \.items).append(1) }
            return part?.items.count ?? 0
        }
        /// Reads what is declared to depend on it.
        var circular: Int { other + number }
        var other: Int { number < 0 ? circular : number }
    }

    /// Says that it equals everything, or nothing, and writes while it is asked.
    final class Odd: Hashable {
        let isEqual: Bool
        let ask: () -> Void
        init(_ isEqual: Bool, _ ask: @escaping () -> Void = {}) {
            self.isEqual = isEqual
            self.ask = ask
        }
        static func == (left: Odd, right: Odd) -> Bool {
            left.ask()
            return left.isEqual
        }
        func hash(into hasher: inout Hasher) { ask() }
    }

    final class Box: KeyValueObject {
        @Observed var odd = Odd(true)
        @Observed var odds: Set<Odd> = []
        @Observed var unrelated = 0
        subscript(odd: Odd) -> Int { 1 }
    }

    static let mistakes = Mistakes(
        "classes that answer nonsense",
        [
            Mistake("everything depends on everything") { try confused() },
            busy("a getter that writes what it reads", \.writing), busy("a getter that observes itself", \.observing),
            busy("a getter that makes a new object each time", \.fresh.number), busy("a getter that announces", \.announcing),
            busy("a getter that replaces what it leads over", \.replacing), busy("a getter that edits", \.editing),
            busy("a getter that reads in circles", \.circular),
            Mistake("values that equal everything or nothing, and write while they are asked") { odd() },
            Mistake("observations that replace and remove themselves while they are called") { try replacing() },
        ])

    private static func busy<Value>(_ name: String, _ keyPath: any KeyPath<Busy, Value> & Sendable) -> Mistake {
        Mistake(name) {
            for retaining in [true, false] {
                let (busy, all) = (Busy(), Controllers(retaining: retaining))
                all.ofWatcher.observe(busy, keyPath, options: [.initial, .prior, .old, .new]) { watcher, _, _ in watcher.call() }
                all.ofWatcher.observeEach(busy, [keyPath, \Busy.self], tag: "all") { _, _, _ in }
                busy.number += 1
                busy.part = Whole()
                busy.part?.number = 1
                withBatchedChanges {
                    busy.number += 1
                    busy.part = nil
                }
                all.ofWatcher.unobserve(busy)
                let before = all.calls
                busy.number += 1
                try check(all.calls == before, "something was heard after the removal")
            }
        }
    }

    private static func confused() throws {
        let (sub, all) = (Sub(), Controllers())
        all.ofWatcher.observeEach(
            sub, [\.number, \.other, \.sum, \.product, \.plain, \.self, \.own], options: [.initial, .prior, .old, .new]
        ) {
            watcher, _, _ in watcher.call()
        }
        let before = all.calls
        sub.number = 1
        (sub.other, sub.own, sub.plain) = (2, 3, 4)
        sub.withChange(of: \.plain) { sub.plain = 5 }
        withBatchedChanges { sub.number = 6 }
        try check(all.calls > before, "nobody heard anything")
        all.unobserveAll()
        try check(ObservationDiagnostics.observations(of: sub, includingDependencies: true).isEmpty, "something is left")
    }

    private static func odd() {
        for isEqual in [true, false] {
            let (box, all) = (Box(), Controllers())
            var depth = 0
            func make() -> Odd {
                Odd(isEqual) {
                    guard depth < 2 else { return }
                    depth += 1
                    defer { depth -= 1 }
                    all.ofWatcher.observe(box, \.odd, removing: .duplicates, tag: "inner") { watcher, _ in watcher.call() }
                    all.ofWatcher.unobserve(box, \.odd, tag: "inner")
                    box.withBatchedChanges { box.unrelated += 1 }
                }
            }
            all.ofWatcher.observe(box, \.odd, removing: .duplicates) { watcher, _ in watcher.call() }
            all.ofWatcher.observe(box, \.odds, options: [.old, .new, .prior]) { _, _, change in _ = change.description }
            for _ in 0..<3 { all.ofWatcher.observe(box, \.[make()], options: []) { _, _, _ in } }
            for _ in 0..<5 {
                box.odd = make()
                box.mutableSetValue(for: \.odds).insert(make())
                box.mutableSetValue(for: \.odds).formUnion([make(), make()])
                box.mutableSetValue(for: \.odds).change { $0.formSymmetricDifference([make()]) }
                box.withChange(of: \.odds, withSetMutation: .union, using: [make()]) { box.odds = [make()] }
            }
            all.ofWatcher.unobserve(box, \.[make()])
        }
    }

    private static func replacing() throws {
        let (whole, all, count) = (Whole(), Controllers(), Messages.Count())
        let shared = all.shared
        @Sendable func observe() {
            shared.observe(
                whole, \.number, options: [.initial, .prior, .new], tag: "x", ifAlreadyObserved: .replace,
                on: .anyThread { watcher, whole, _ in
                    watcher.call()
                    guard count.next() < 60 else { return }
                    observe()
                    if count.next().isMultiple(of: 3) { shared.unobserve(whole, \.number, tag: "x") }
                    whole.number += 1
                }, onTermination: { _ in if count.next() < 60 { observe() } })
        }
        observe()
        whole.number = 1
        shared.unobserveAll()
        shared.invalidate()
        let before = all.calls
        whole.number = 2
        try check(all.calls == before, "something was heard after the end")
    }
}
