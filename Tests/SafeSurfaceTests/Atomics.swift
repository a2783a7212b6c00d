import SafeKVO
import SafeKVOTesting
import Synchronization

/// Atomic properties: wrappers that are exchanged, updates in updates, and overridden properties on paths.
///
/// Reproductions: H1, H2, M2 and M3.
enum Atomics {
    final class Payload: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    final class Model: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) nothing but atomic properties; each mistake is made on one thread.
        @AtomicObserved var number = 1
        @AtomicObserved var payload = Payload("first")
        @AtomicObserved var third = 5
        @Observed var plain = 1
        @Observed var other = 2
        func resetNumber(_ number: Int) { _number = AtomicObserved(wrappedValue: number) }
        func resetPayload() { _payload = AtomicObserved(wrappedValue: Payload("another")) }
        func exchange() { swap(&_number, &_third) }
        func resetPlain() { _plain = Observed(wrappedValue: 7) }
        func exchangePlain() { swap(&_plain, &_other) }
        static func exchange(_ one: Model, _ other: Model) {
            swap(&one._number, &other._number)
            swap(&one._payload, &other._payload)
            swap(&one._plain, &other._plain)
        }
    }

    class Node: KeyValueObject { @Observed var value = 1 }
    final class Doubled: Node {
        let inner = Node()
        override var value: Int {
            get { inner.value * 2 }
            set { inner.value = newValue }
        }
    }
    class Names: KeyValueObject { @Observed var value: [String] = ["a"] }
    class Number: KeyValueObject { @Observed var number = 1 }
    final class Described: Names {
        let number = Number()
        override var value: [String] {
            get { ["number \(number.number)"] }
            set {}
        }
    }
    final class Root: KeyValueObject {
        @Observed var child = Node()
        @Observed var names = Names()
    }
    class List: KeyValueObject { @Observed var items: [Int] = [] }
    final class Positive: List {
        let inner = List()
        override var items: [Int] {
            get { inner.items }
            set { inner.items = newValue.filter { $0 > 0 } }
        }
    }

    static let mistakes = Mistakes(
        "wrappers that are exchanged, and properties that are overridden",
        [
            Mistake("M2: an update that writes the same property inside") {
                let model = Model()
                model.$number.update { number in
                    model.number += 5
                    number += 1
                }
                try check(model.number == 2, "\(model.number)")
            },
            Mistake("M2: an exchange within an update") {
                let model = Model()
                model.$number.update { number in
                    model.$number.compareExchange(expected: number, desired: 7)
                    number += 1
                }
                try check(model.number == 2, "\(model.number)")
            },
            Mistake("H2: an atomic wrapper is made anew") {
                let (model, observer, log) = observed(\.number)
                model.resetNumber(2)
                model.number = 4
                try check(log.events.last == 4, "heard \(log.events)")
                withExtendedLifetime(observer) {}
            },
            Mistake("H2: two atomic wrappers of an object are exchanged") {
                let (model, observer, log) = observed(\.number)
                model.exchange()
                model.number = 10
                model.third = 20
                try check(log.events == [1, 10], "heard \(log.events)")
                withExtendedLifetime(observer) {}
            },
            Mistake("H2: wrappers of two objects are exchanged") {
                let (model, observer, log) = observed(\.number)
                let other = Model()
                other.number = 3
                Model.exchange(model, other)
                other.number = 20
                model.number = 10
                (model.plain, other.plain) = (3, 4)
                try check(log.events == [1, 10], "heard \(log.events)")
                withExtendedLifetime(observer) {}
            },
            Mistake("H2: a hundred wrappers, whose cells take each other's place") {
                for _ in 0..<100 {
                    let (model, all) = (Model(), Controllers())
                    let log = EventLog<String>()
                    all.ofWatcher.observe(model, \.payload, on: .anyThread { _, payload in log.append(payload.text) })
                    model.resetPayload()
                    for number in 0..<20 {
                        model.resetNumber(number)
                        model.number = number + 0x4141
                    }
                    model.payload = Payload("last")
                    try check(log.events.first == "first" && log.events.last == "last", "heard \(log.events)")
                }
            },
            Mistake("a plain wrapper is made anew, and exchanged") {
                let (model, observer, log) = observed(\.plain)
                model.resetPlain()
                model.plain = 8
                model.exchangePlain()
                (model.plain, model.other) = (9, 10)
                try check(log.events == [1, 8, 9], "heard \(log.events)")
                withExtendedLifetime(observer) {}
            },
            Mistake("an update that throws, that reads and that observes") {
                let (model, observer, log) = observed(\.number)
                let all = Controllers()
                try? model.$number.update { number throws(Broken) in
                    number = 9
                    throw Broken("on purpose")
                }
                try check(model.number == 1 && log.events == [1], "heard \(log.events)")
                model.$number.update { number in
                    all.ofWatcher.observe(model, \.number, on: .anyThread { watcher, _ in watcher.call() })
                    number = model.number + model.third
                }
                try check(model.number == 6, "\(model.number)")
                withExtendedLifetime(observer) {}
            },
            Mistake("an observed value that holds itself, and is updated in an update") {
                final class Box: Sendable {
                    let value = ObservedValue<Box?>(nil)
                }
                let (box, all) = (Box(), Controllers())
                all.ofWatcher.observe(box.value, \.value) { watcher, _ in watcher.call() }
                box.value.update { value in
                    box.value.value = Box()
                    value = box
                }
                try check(box.value.value === box && all.calls == 3, "\(all.calls) calls")
                box.value.value = nil
            },
            Mistake("an observed value that is exchanged within an update") {
                let value = ObservedValue(1)
                value.update { number in
                    value.compareExchange(expected: number, desired: 7)
                    number += 1
                }
                try check(value.value == 2, "\(value.value)")
            },
            Mistake("H1: a path to an override that forwards to an object of the same shape") {
                let (root, all) = (Root(), Controllers())
                let log = EventLog<Int>()
                root.child = Doubled()
                all.ofWatcher.observe(root, \.child.value) { _, value in log.append(value) }
                let doubled = Doubled()
                root.child = doubled
                doubled.inner.value = 21
                doubled.value = 4
                try check(log.events.last == root.child.value && log.events == [2, 2, 42, 8], "heard \(log.events)")
            },
            Mistake("H1: a path to an override that reads an object of another type") {
                let (root, all) = (Root(), Controllers())
                let log = EventLog<[String]>()
                all.ofWatcher.observe(root, \.names.value, options: [.initial, .prior, .old, .new]) { _, _, change in
                    _ = change.oldValue?.first?.count
                    if let value = change.newValue { log.append(value) }
                }
                let described = Described()
                root.names = described
                described.number.number = 0x41_4141_4141
                try check(log.events.last == root.names.value, "heard \(log.events)")
            },
            Mistake("M3: a proxy of an overridden property calls the setter") {
                let list: List = Positive()
                list.items = [1, -1]
                list.mutableArrayValue(for: \.items).append(-5)
                list.mutableArrayValue(for: \.items).append(5)
                try check(list.items == [1, 5], "\(list.items)")
            },
        ])

    /// M2, beside those that go on: it ends, one way or the other, and says why.

    @MainActor private static func observed(_ keyPath: KeyPath<Model, Int>) -> (Model, Controllers, EventLog<Int>) {
        let (model, all) = (Model(), Controllers())
        let log = EventLog<Int>()
        all.ofWatcher.observe(model, keyPath, on: .anyThread { _, number in log.append(number) })
        return (model, all, log)
    }
}
