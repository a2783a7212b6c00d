import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rules 11a, 12, 18, 23, 37, 38 and 40: keys that are announced by hand, and key paths that read them.
@Suite struct AnnouncedKeyTests {
    /// An index whose first comparison holds the thread that makes it.
    struct Index: Hashable, Sendable {
        let number: Int
        static let gate = Mutex<Gate?>(nil)

        static func == (left: Index, right: Index) -> Bool {
            gate.withLock { $0.take() }?.pass()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    final class Store: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        private let stored = Atomic(0)
        let gate = Gate()
        var value: Int {
            access(\.value)
            return stored.load(ordering: .sequentiallyConsistent)
        }
        /// A value whose getter is held after it has read.
        var slow: Int {
            access(\.slow)
            let value = stored.load(ordering: .sequentiallyConsistent)
            if value != 0 { gate.pass() }
            return value
        }
        var double: Int { value * 2 }
        var other: Int {
            access(\.other)
            return 0
        }

        subscript(index: Index) -> Int {
            get {
                access(\.[index])
                return index.number == 1 ? stored.load(ordering: .sequentiallyConsistent) : 0
            }
            set { withChange(of: \.[index]) { stored.store(newValue, ordering: .sequentiallyConsistent) } }
        }
        var indexed: Int { self[Index(number: 1)] * 2 }

        func add(_ summand: Int) { withChange(of: \.value) { _ = stored.wrappingAdd(summand, ordering: .sequentiallyConsistent) } }

        func set(_ value: Int, in keyPath: KeyPath<Store, Int>, _ inside: () -> Void = {}) {
            withChange(of: keyPath) {
                inside()
                stored.store(value, ordering: .sequentiallyConsistent)
            }
        }
    }

    final class Viewer: SharedObserver {
        let observationSlot = SharedObservationSlot()
        let log = EventLog<String>()
    }

    final class Model: KeyValueObject {
        @Observed var items = [1, 2, 3]
        @Observed var summand = 1
        private var foreign = 0
        private var list = [1]
        var total: Int { items.count + summand }
        var manual: Int {
            get {
                access(\.manual)
                return foreign
            }
            set { withChange(of: \.manual) { foreign = newValue } }
        }
        var manualDouble: Int { manual * 2 }
        var listed: [Int] {
            access(\.listed)
            return list
        }
        var shown: [Int] { listed }
        var copied: [Int] { listed + [] }

        func append(_ item: Int) {
            withChange(.insertion, valuesAt: RangeSet(list.count..<list.count + 1), of: \.listed) { list.append(item) }
        }
    }

    final class Owner: KeyValueObject {
        @Observed var model = Model()
        @Observed var maybe: Model? = Model()
    }

    final class Observer {
        let log = EventLog<String>()
        lazy var observations = ObservationController(observer: self)
    }

    @MainActor final class Screen {
        var values: [Int] = []
        lazy var observations = ObservationController(observer: self)
    }

    // MARK: On one thread

    @Test("Rules 12, 38a: a key that is announced during a mutation in place of what it reads is evaluated at the end of the mutation")
    func announcingDuringAMutationInPlace() {
        let (model, observer) = (Model(), Observer())
        observer.observations.observe(model, \.total, options: [.old, .new]) { $0.log.append($2.told) }
        model.items.removeAll { item in
            model.withChange(of: \.total) { model.summand += 1 }
            return item == 2
        }
        #expect(observer.log.removeAll().last?.hasSuffix("new 6") ?? false)
    }

    @Test("Rules 2, 23: of an announced key that a handler announces again, each change has the values of its own")
    func nestedAnnouncements() {
        let (model, first, second) = (Model(), Observer(), Observer())
        first.observations.observe(model, \.manualDouble, options: []) { _, model, _ in if model.manual == 12 { model.manual = 24 } }
        second.observations.observe(model, \.manual, options: [.old, .new]) { $0.log.append($2.told) }
        second.observations.observe(model, \.manual, initial: false, tag: "value") { $0.log.append("\($1)") }
        model.manual = 12
        #expect(second.log.removeAll().sorted() == ["12", "24", "after old 0 new 12", "after old 12 new 24"])
    }

    @Test("Rule 18: elements that are announced by hand pass through hops, optional chains and a getter that returns the collection")
    func elementsPass() {
        let (owner, observer) = (Owner(), Observer())
        observer.observations.observe(owner.model, \.listed, options: [.old, .new]) { $0.log.append($2.told) }
        observer.observations.observe(owner, \.model.listed, options: [.old, .new]) { $0.log.append("path \($2.told)") }
        observer.observations.observe(owner.model, \.shown, options: .new) { $0.log.append("getter \($2.told)") }
        observer.observations.observe(owner.model, \.copied, options: .new) { $0.log.append("copy \($2.told)") }
        observer.observations.observe(owner.model, \.shown, tag: "values") { $0.log.append("values \($1)") }
        observer.log.removeAll()
        owner.model.append(2)
        let expected = [
            "after insertion new [2] at 1..<2", "path after insertion new [2] at 1..<2", "getter after insertion new [2] at 1..<2",
            "copy after new [1, 2]", "values [1, 2]",
        ]
        #expect(observer.log.removeAll().sorted() == expected.sorted())
        owner.model = owner.model
        observer.log.removeAll()
        owner.model.append(3)
        #expect(observer.log.removeAll().contains("path after insertion new [3] at 2..<3"))
    }

    @Test("Rule 18: so they do through an optional chain")
    func elementsPassThroughAnOptionalChain() {
        let (owner, observer) = (Owner(), Observer())
        observer.observations.observe(owner, \.maybe?.listed, options: .new) { $0.log.append($2.told) }
        owner.maybe?.append(2)
        #expect(observer.log.removeAll() == ["after insertion new Optional([2]) at 1..<2"])
    }

    // MARK: On several threads

    @Test("Rule 37: two threads that announce one key cause no more calls than announcements, and the last is of the value")
    func noMoreCallsThanAnnouncements() {
        let (store, viewer, end) = (Store(), Viewer(), Flag())
        viewer.observations.observe(store, \.slow, options: [.prior, .old, .new], on: .anyThread { $0.log.append($2.told) })
        Threads.start {
            store.set(1, in: \.slow)
            end.set()
        }
        // It reads the value after its change.
        store.gate.waitUntilHeld()
        store.set(2, in: \.slow)
        store.gate.open()
        end.wait()
        #expect(viewer.log.events.filter { $0.hasPrefix("after") } == ["after old 0 new 1", "after old 1 new 2"])
        #expect(viewer.log.events.filter { $0.hasPrefix("prior") }.count == 2)
    }

    @MainActor
    @Test("Rules 1, 38, 40: who begins to read a key while another thread announces it gets the value", arguments: [false, true])
    func beginningToReadDuringAnAnnouncement(isObserved: Bool) async {
        let (store, screen, other, gate, end) = (Store(), Screen(), Screen(), Gate(), Flag())
        if isObserved { other.observations.observe(store, \.value) { _, _ in } }
        Threads.start {
            store.set(21, in: \.value) { gate.pass() }
            end.set()
        }
        gate.waitUntilHeld()
        screen.observations.observe(store, \.double) { $0.values.append($1) }
        gate.open()
        end.wait()
        await Self.settle()
        #expect(screen.values == [0, 42])
    }

    @MainActor
    @Test("Rules 1, 38, 40: so does who begins to read it, or to observe it, while the announcement looks for who follows it")
    func beginningToReadAtTheBeginningOfAnAnnouncement() async {
        for isRead in [false, true] {
            let (store, screen, other, gate, end) = (Store(), Screen(), Screen(), Gate(), Flag())
            other.observations.observe(store, \.[Index(number: 2)]) { _, _ in }
            Index.gate.withLock { $0 = gate }
            Threads.start {
                store[Index(number: 1)] = 21
                end.set()
            }
            gate.waitUntilHeld()
            screen.observations.observe(store, isRead ? \.indexed : \.[Index(number: 1)]) { $0.values.append($1) }
            gate.open()
            end.wait()
            await Self.settle()
            #expect(screen.values == [0, isRead ? 42 : 21])
        }
    }

    /// Lets the jobs run that are on their way to the main actor.
    @MainActor private static func settle() async {
        for _ in 0..<3 { await Threads.run {} }
    }

    @Test("Rule 37: on several threads, each old value is the new one before it, and the last new one is the value")
    func announcingOnSeveralThreads() {
        for _ in 0..<20 {
            let (store, viewer) = (Store(), Viewer())
            viewer.observations.observe(store, \.value, options: [.old, .new], on: .anyThread { $0.log.append($2.told) })
            let flags = (0..<4).map { _ in Flag() }
            for flag in flags {
                Threads.start {
                    for _ in 0..<50 { store.add(1) }
                    flag.set()
                }
            }
            for flag in flags { flag.wait() }
            var last = "0"
            for event in viewer.log.events {
                let words = event.split(separator: " ")
                #expect(words[2] == last)
                last = String(words[4])
            }
            #expect(last == "\(store.value)")
            #expect(viewer.log.events.count <= 200)
        }
    }
}
