import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import TestSupport
import Testing

extension Array {
    /// Changes the array in place, while something else happens.
    fileprivate mutating func change(_ body: (inout Self) -> Void) { body(&self) }
    fileprivate mutating func changeSlowly(_ body: () -> Void) async {
        await Task.yield()
        body()
        await Task.yield()
    }
}

/// When key paths are evaluated, and when they are not.
@Suite struct EvaluationTests {
    final class Cache: KeyValueObject {
        @Observed var a = 1
        @Observed var cached: Int?
        @Observed var reads = 0
        var total: Int {
            if let cached { return cached }
            let value = a * 10
            cached = value
            return value
        }
        var counted: Int {
            reads += 1
            return a
        }
    }

    class Store: KeyValueObject {
        @Observed var items = [1]
        @Observed var x = 0
        @Observed var mid: Store?
        var sum: Int { items.count + x }
        var midSum: Int { (mid?.x ?? 0) + x }
    }
    final class SilentStore: Store {
        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Store.items }
    }
    final class Ward: Store {
        weak var owner: Store?
        deinit { owner?.x += 100 }
    }

    final class Observer: Sendable {}
    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() { observations = ObservationController(observer: observer) }

    func listen<Object: KeyValueObservable, Value>(
        to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = [.old, .new], tag: ObservationTag? = nil
    ) {
        observations.observe(object, keyPath, options: options, tag: tag) { [log] _, _, change in log.append(change.told) }
    }

    // MARK: Getters that change what they read

    @Test("Rule 20a: a getter that fills a cache is evaluated for its old value, and without end never")
    func aCacheIsFilled() throws {
        let cache = Cache()
        observations.observe(cache, \.cached, options: .new, tag: "refill") { _, cache, change in
            if change.newValue == .some(nil) { cache.a += 1 }
        }
        observations.observe(cache, \.total, removing: .duplicates) { [log] _, total in log.append("\(total)") }
        cache.cached = nil
        try log.expect(["10", "20"])
    }

    @Test("Rule 20a: a getter that sets what it reads is evaluated a few times, and not without end", arguments: [false, true])
    func aGetterThatSetsWhatItReads(wantsOld: Bool) {
        let cache = Cache()
        observations.observe(cache, \.counted, options: wantsOld ? [.old, .new] : .new) { _, _, _ in }
        let before = cache.reads
        cache.a = 2
        #expect(cache.reads - before <= 6)
    }

    @Test("Rule 13: what changes while a key path is being evaluated is evaluated too")
    func aChangeDuringAnEvaluation() throws {
        final class Trigger: KeyValueObject { @Observed var count = 0 }
        final class Model: KeyValueObject {
            @Observed var x = 1
            @Observed var k = 0
            let trigger = Trigger()
            var value: Int {
                let value = x + k
                trigger.count += 1
                return value
            }
        }
        let model = Model()
        listen(to: model, \.value, .new)
        observations.observe(model.trigger, \.count, options: .new) { _, _, _ in model.x = 100 }
        model.k = 1
        try log.expect(["after new 101"])
    }

    // MARK: Properties that are open for change in place

    @Test("Rule 2: the library reads no property that is open for change in place, announced by hand or silent")
    func openProperties() throws {
        let store = Store()
        listen(to: store, \.sum, .new)
        store.withChange(of: \.items) {
            store.items.change {
                $0.append(2)
                store.x = 5
            }
        }
        // Of `x`, when the items can be read again, and of the items, at the end.
        try log.expect(["after new 7", "after new 7"])
        let silent = SilentStore()
        listen(to: silent, \.sum, .new)
        silent.items.change {
            $0.append(2)
            silent.x = 5
        }
        try log.expect(["after new 7"])
        silent.items.append(3)
        try log.expect([])
    }

    @Test("Rule 2: nor one that is open across a suspension, whatever thread goes on")
    func propertiesOpenAcrossSuspensions() async throws {
        let store = Store()
        listen(to: store, \.sum, .new)
        for round in 1...100 {
            await store.items.changeSlowly { store.x = round }
            try log.expect(["after new \(1 + round)"])
        }
    }

    @Test("Rule 35: what an assignment lets go of may set, at its end, what is observed together with it")
    func whatIsLetGoOfMaySet() throws {
        let store = Store()
        listen(to: store, \.midSum, .new)
        do {
            let ward = Ward()
            ward.owner = store
            store.mid = ward
        }
        try log.expect(["after new 0"])
        store.mid = nil
        #expect(store.x == 100)
        #expect(log.events.last == "after new 100")
    }

    // MARK: What is left behind

    @Test("Rules 10, 24: a change that is not ended keeps derived values silent; its end calls whoever is there then")
    func anUnmatchedChangeOfADependency() throws {
        let store = Store()
        listen(to: store, \.sum, .new)
        store.willChangeValue(for: \.x)
        store.x = 1
        listen(to: store, \.sum, .new, tag: "late")
        try log.expect([])
        store.didChangeValue(for: \.x)
        try log.expect(["after new 2", "after new 2"])
        store.x = 2
        try log.expect(["after new 3", "after new 3"])
    }

    @Test("Rule 24: a notification that begins while another dependency is changed in place is delivered when it ends", arguments: [0, 1])
    func aHopThatIsAnnouncedWithinAChangeInPlace(depth: Int) throws {
        final class Part: KeyValueObject {
            @Observed var items: [Int]
            init(_ items: [Int]) { self.items = items }
        }
        final class Node: KeyValueObject {
            @Observed var inner: Node?
            private var stored = Part([1])
            var part: Part {
                get {
                    access(\.part)
                    return stored
                }
                set { stored = newValue }
            }
        }
        let (root, inner) = (Node(), Node())
        root.inner = inner
        let owner = depth == 0 ? root : inner
        if depth == 0 { listen(to: root, \.part.items, .new) } else { listen(to: root, \.inner?.part.items, .new) }
        owner.part.items.change {
            $0.append(2)
            owner.willChangeValue(for: \.part)
        }
        log.removeAll()
        owner.part = Part([3])
        owner.didChangeValue(for: \.part)
        #expect(log.events.count == 1 && log.events[0].contains("[3]"))
        log.removeAll()
        owner.part.items = [4]
        #expect(log.events.count == 1 && log.events[0].contains("[4]"))
    }

    @Test("Rule 24: a key path follows the new object after a cancelled notification")
    func aHopWhoseNotificationIsCancelled() throws {
        final class Silent: KeyValueObject {
            @Observed var items = [1]
            override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Silent.items }
        }
        final class Part: KeyValueObject {
            @Observed var number = 1
        }
        final class Node: KeyValueObject {
            let silent = Silent()
            var part = Part()
            var sum: Int {
                access(\.part)
                return part.number + silent.items.count
            }
        }
        let node = Node()
        listen(to: node, \.sum, .new)
        let change = node.willChange(\.part)
        node.part = Part()
        change.cancel()
        try log.expect([])
        node.part.number = 10
        try log.expect(["after new 11"])
    }

    @Test("Rules 14, 20c: a getter that calls `access` with the whole object is evaluated when the object is announced")
    func theWholeObjectIsAccessed() throws {
        final class Node: KeyValueObject {
            @Observed var other = 0
            var part = 1
            var sum: Int {
                access(\Node.self)
                return part + 1
            }
        }
        let node = Node()
        listen(to: node, \.sum, .new)
        node.withChange(of: \.self) { node.part = 2 }
        try log.expect(["after new 3"])
        node.other = 1
        node.withChange(of: \.sum) { node.part = 3 }
        try log.expect(["after new 4"])
        withBatchedChanges {
            node.withChange(of: \.self) { node.part = 4 }
            node.withChange(of: \.self) { node.part = 5 }
        }
        try log.expect(["after new 6"])
        let other = Node()
        listen(to: other, \.sum, [.prior, .old])
        other.withChange(of: \.self) { other.part = 6 }
        try log.expect(["prior old 2", "after old 2"])
    }

    @Test("Rules 16, 23: a scoped notification of a hop that begins within a change in place is one change, what is assigned inside others")
    func aScopedNotificationThatBeginsWithinAChangeInPlace() throws {
        final class Part: KeyValueObject {
            @Observed var items = [1]
        }
        final class Node: KeyValueObject {
            private var stored = Part()
            var part: Part {
                get {
                    access(\.part)
                    return stored
                }
                set { stored = newValue }
            }
        }
        final class Held {
            var change: ChangeAnnouncement<Node, Part>?
            func end() { change.take()?.didChange() }
        }
        let (node, held) = (Node(), Held())
        listen(to: node, \.part.items, .new)
        node.part.items.change {
            $0.append(2)
            held.change = node.willChange(\.part)
        }
        node.part.items = [3]
        node.part = Part()
        node.part.items = [4]
        try log.expect(["after new [1, 2]", "after new [3]"])
        held.end()
        try log.expect(["after new [4]"])
        node.part.items = [5]
        try log.expect(["after new [5]"])
    }

    @Test("Rule 37: an update that is tried again leaves nothing behind")
    func updatesThatAreTriedAgain() throws {
        final class Shared: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) its property is atomic.
            @AtomicObserved var x = 0
            var double: Int { x * 2 }
        }
        struct Refusal: Error {}
        let shared = Shared()
        observations.observe(shared, \.double, options: [.old, .new], on: .anyThread { [log] _, _, change in log.append(change.told) })
        var tries = 0
        shared.$x.update { x in
            tries += 1
            if tries == 1 { OtherThread.run { shared.x = 50 } }
            x += 1
        }
        tries = 0
        #expect(throws: Refusal.self) {
            try shared.$x.update { x in
                tries += 1
                if tries == 2 { throw Refusal() }
                OtherThread.run { shared.x = 60 }
                x += 1
            }
        }
        observations.observe(
            shared, \.double, options: .new, tag: "late", on: .anyThread { [log] _, _, change in log.append(change.told) })
        log.removeAll()
        shared.x = 7
        try log.expect(["after old 120 new 14", "after new 14"])
    }
}
