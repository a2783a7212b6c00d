import SafeKVO
import SafeKVOEvents

/// Issue 15, items 2 and 3: registrars, slots and sources that belong to somebody else.
///
/// Each of these classes breaks the rule that its registrar or slot is a stored constant of its own, and each attempt to use it ends the
/// program with a message that names the property, whichever way it is used and whoever goes first.
enum Owners {
    /// Keeps one of everything for others.
    final class Store: Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let eventRegistrar = EventRegistrar<Int>()
        let observationSlot = SharedObservationSlot()
    }

    /// Keeps a slot for others.
    final class Locker {
        let observationSlot = ObservationSlot()
    }

    /// An object whose registrar is its store's.
    final class Borrower: KeyValueObservable {
        let store: Store
        var keyValueRegistrar: KeyValueRegistrar { _read { yield store.keyValueRegistrar } }
        let padding = [1, 2, 3]
        @Observed var number = 1
        @AtomicObserved var shared = 1
        @Observed var items = [1]
        var sum: Int { number + shared }
        init(_ store: Store) { self.store = store }
    }

    /// Another one, of another shape.
    final class OtherBorrower: KeyValueObservable {
        let store: Store
        var keyValueRegistrar: KeyValueRegistrar { _read { yield store.keyValueRegistrar } }
        @Observed var number = "one"
        init(_ store: Store) { self.store = store }
    }

    /// An object whose registrar is a new one each time.
    final class Forgetful: KeyValueObservable {
        var keyValueRegistrar: KeyValueRegistrar { KeyValueRegistrar() }
        @Observed var number = 1
        @AtomicObserved var shared = 1
    }

    /// An object that hands out the registrar of another one, which has it rightly.
    final class Forwarder: KeyValueObservable {
        let whole: Whole
        var keyValueRegistrar: KeyValueRegistrar { _read { yield whole.keyValueRegistrar } }
        @Observed var number = "one"
        init(_ whole: Whole) { self.whole = whole }
    }

    /// A source whose registrar is its store's.
    final class BorrowingSource: ObservationSource {
        let store: Store
        var eventRegistrar: EventRegistrar<Int> { _read { yield store.eventRegistrar } }
        let secret = "secret"
        init(_ store: Store) { self.store = store }
    }

    /// A source that hands out the registrar of another one, which has it rightly.
    final class ForwardingSource: ObservationSource {
        let counter: Counter
        var eventRegistrar: EventRegistrar<Int> { _read { yield counter.eventRegistrar } }
        let secret = "secret"
        init(_ counter: Counter) { self.counter = counter }
    }

    /// A source whose registrar is a new one each time.
    final class ForgetfulSource: ObservationSource {
        var eventRegistrar: EventRegistrar<Int> { EventRegistrar() }
    }

    /// An observer whose slot is its locker's.
    final class BorrowingObserver: AutomaticObserver {
        let locker: Locker
        var observationSlot: ObservationSlot { _read { yield locker.observationSlot } }
        let number = 1
        init(_ locker: Locker) { self.locker = locker }
    }

    /// Another one, of another shape.
    final class OtherBorrowingObserver: AutomaticObserver {
        let locker: Locker
        var observationSlot: ObservationSlot { _read { yield locker.observationSlot } }
        let text = "text"
        init(_ locker: Locker) { self.locker = locker }
    }

    /// An observer that threads share, and whose slot is its store's.
    final class SharedBorrower: SharedObserver {
        let store: Store
        var observationSlot: SharedObservationSlot { _read { yield store.observationSlot } }
        init(_ store: Store) { self.store = store }
    }

    /// An observer that threads share, and whose slot is a new one each time.
    final class SharedForgetful: SharedObserver {
        var observationSlot: SharedObservationSlot { SharedObservationSlot() }
    }

    /// An observer whose slot is a new one each time.
    final class ForgetfulObserver: AutomaticObserver {
        var observationSlot: ObservationSlot { ObservationSlot() }
    }

    /// An observer as it should be.
    class GoodObserver: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }

    /// One that threads share, as it should be.
    final class GoodSharedObserver: SharedObserver {
        let observationSlot = SharedObservationSlot()
    }

    /// An actor as it should be.
    actor GoodActor: SharedObserver {
        nonisolated let observationSlot = SharedObservationSlot()
        private(set) var calls = 0
        func call() { calls += 1 }
    }

    static let fatal = registrars + sources + slots

    private static func borrower(_ what: String, _ use: @escaping @MainActor @Sendable (Borrower) -> Void) -> FatalMistake {
        FatalMistake("a borrowed registrar: \(what)", says: "keyValueRegistrar") { use(Borrower(Store())) }
    }

    private static let registrars = [
        borrower("observe a property") { object in
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(object, \.number, options: .new) { _, _, _ in } }
        },
        borrower("observe an atomic property") { object in
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(object, \.shared) { _, _ in } }
        },
        borrower("observe a computed property") { object in
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(object, \.sum) { _, _ in } }
        },
        borrower("observe the whole object") { object in
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(object, \.self, options: []) { _, _, _ in } }
        },
        borrower("observe several") { object in
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observeEach(object, [\.number]) { _, _, _ in } }
        },
        FatalMistake("a borrowed registrar: poll", says: "keyValueRegistrar") {
            await MainActor.run {
                _ = withExtendedLifetime(Controllers()) { $0.ofWatcher.poll(Borrower(Store()), \.padding, every: .seconds(1)) { _, _ in } }
            }
        },
        FatalMistake("a shared registrar: the first owner goes first", says: "keyValueRegistrar") {
            let (store, all) = (Store(), Controllers())
            do {
                let first = Borrower(store)
                all.ofWatcher.observe(first, \.number) { _, _ in }
                all.unobserveAll()
            }
            let second = OtherBorrower(store)
            all.ofWatcher.observe(second, \.number) { _, _ in }
            second.number = "two"
        },
        FatalMistake("a shared registrar: both live", says: "keyValueRegistrar") {
            let (store, all) = (Store(), Controllers())
            let (first, second) = (Borrower(store), OtherBorrower(store))
            all.ofWatcher.observe(first, \.number) { _, _ in }
            all.ofWatcher.observe(second, \.number) { _, _ in }
            (first.number, second.number) = (2, "two")
        },
        FatalMistake("a registrar that is made anew: observe", says: "keyValueRegistrar") {
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(Forgetful(), \.number) { _, _ in } }
        },
        FatalMistake("a registrar that is made anew: observe an atomic property", says: "keyValueRegistrar") {
            await MainActor.run {
                _ = withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(Forgetful(), \.shared) { _, _ in } }
            }
        },
        FatalMistake("a forwarded registrar: its owner is observed first", says: "keyValueRegistrar") {
            let (whole, all) = (Whole(), Controllers())
            all.ofWatcher.observe(whole, \.number) { _, _ in }
            let forwarder = Forwarder(whole)
            all.ofWatcher.observe(forwarder, \.number) { _, _ in }
            forwarder.number = "two"
        },
        FatalMistake("a forwarded registrar: the forwarder is observed first", says: "keyValueRegistrar") {
            let (whole, all) = (Whole(), Controllers(retaining: false))
            do { all.ofWatcher.observe(Forwarder(whole), \.number) { _, _ in } }
            all.ofWatcher.observe(whole, \.number) { _, _ in }
            whole.number = 1
        },
        FatalMistake("a forwarded registrar: only set, after its owner was observed", says: "keyValueRegistrar") {
            let (whole, all) = (Whole(), Controllers())
            all.ofWatcher.observe(whole, \.self, options: []) { _, _, _ in }
            let forwarder = Forwarder(whole)
            forwarder.number = "two"
            forwarder.number += "!"
            forwarder.withChange(of: \.number) {}
        },
        FatalMistake("a forwarded registrar: announced by hand, after its owner was observed", says: "keyValueRegistrar") {
            let (whole, all) = (Whole(), Controllers())
            all.ofWatcher.observe(whole, \.number, options: []) { _, _, _ in }
            Forwarder(whole).withChange(of: \.number) {}
        },
    ]

    private static let sources = [
        FatalMistake("a borrowed registrar of a source: observe", says: "eventRegistrar") {
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(BorrowingSource(Store())) { _, _, _ in } }
        },
        FatalMistake("a source with a registrar that is made anew: observe", says: "eventRegistrar") {
            withExtendedLifetime(Controllers()) { $0.ofWatcher.observe(ForgetfulSource()) { _, _ in } }
        },
        FatalMistake("a source that forwards another's registrar: observe it and let it go first", says: "eventRegistrar") {
            let (counter, all) = (Counter(), Controllers(retaining: false))
            do { all.ofWatcher.observe(ForwardingSource(counter)) { _, _, _ in } }
            all.ofWatcher.observe(counter) { _, _ in }
            counter.count(1)
        },
        FatalMistake("a source that forwards another's registrar: observe it after its owner", says: "eventRegistrar") {
            let (counter, all) = (Counter(), Controllers())
            all.ofWatcher.observe(counter) { _, _ in }
            all.ofWatcher.observe(ForwardingSource(counter), tag: "x") { (_, source: ForwardingSource, _) in print(source.secret) }
            counter.count(1)
        },
        FatalMistake("two sources that share a registrar, both observed", says: "eventRegistrar") {
            let (store, all) = (Store(), Controllers())
            all.ofWatcher.observe(BorrowingSource(store)) { _, _, _ in }
            ObservationController(observer: Watcher()).observe(BorrowingSource(store), tag: "x") { _, _, _ in }
        },
    ]

    private static let slots = [
        FatalMistake("a borrowed slot", says: "observationSlot") { _ = BorrowingObserver(Locker()).observations },
        FatalMistake("a borrowed slot, not retaining", says: "observationSlot") {
            _ = BorrowingObserver(Locker()).nonRetainingObservations
        },
        FatalMistake("a borrowed shared slot", says: "observationSlot") { _ = SharedBorrower(Store()).observations },
        FatalMistake("a borrowed shared slot, not retaining", says: "observationSlot") {
            _ = SharedBorrower(Store()).nonRetainingObservations
        },
        FatalMistake("a shared slot that is made anew", says: "observationSlot") { _ = SharedForgetful().observations },
        FatalMistake("a shared slot of two observers that threads share", says: "observationSlot") {
            let store = Store()
            let (first, second) = (SharedBorrower(store), SharedBorrower(store))
            first.observations.unobserveAll()
            second.observations.unobserveAll()
        },
        FatalMistake("a slot that is made anew", says: "observationSlot") { _ = ForgetfulObserver().observations },
        FatalMistake("a shared slot: both live", says: "observationSlot") {
            let (locker, counter) = (Locker(), Counter())
            let (first, second) = (BorrowingObserver(locker), OtherBorrowingObserver(locker))
            first.observations.observe(counter) { observer, _ in print(observer.number) }
            second.observations.observe(counter, tag: "x") { observer, _ in print(observer.text) }
            counter.count(1)
        },
        FatalMistake("a shared slot: the first goes first", says: "observationSlot") {
            let (locker, counter) = (Locker(), Counter())
            do { BorrowingObserver(locker).observations.observe(counter) { observer, _ in print(observer.number) } }
            let second = OtherBorrowingObserver(locker)
            second.observations.observe(counter, tag: "x") { observer, _ in print(observer.text) }
            counter.count(1)
        },
    ]

    /// What may be done with these classes all the same, as long as nothing is observed.
    static let mistakes = Mistakes(
        "registrars and slots of others that nobody observes",
        [
            Mistake("set, announce and read") {
                for borrower in [Borrower(Store())] {
                    borrower.number = 2
                    borrower.shared += 1
                    borrower.items.append(1)
                    _ = borrower.sum
                }
                Forgetful().number = 2
            },
            Mistake("two observers of one class, each with a slot of its own") {
                final class Sub: GoodObserver {}
                let (observer, counter) = (Sub(), Counter())
                var calls = 0
                (observer as GoodObserver).observations.observe(counter) { _, _ in }
                observer.observations.observe(counter, tag: "x") { _, _ in }
                observer.nonRetainingObservations.observe(counter) { _, _ in calls += 1 }
                counter.count(1)
                try check(observer.observations.observations.count == 2 && calls == 1, "not all were added")
            },
            Mistake("an observer that threads share, and an actor, each with a slot of its own") {
                let (observer, station, whole) = (GoodSharedObserver(), GoodActor(), Whole())
                observer.observations.observe(whole, \.shared, on: .anyThread { _, _ in })
                observer.nonRetainingObservations.observe(whole, \.shared, on: .anyThread { _, _ in })
                station.observations.observe(whole, \.shared, on: .observer { station, _ in station.call() })
                whole.shared = 1
                for _ in 0..<20_000 where await station.calls == 0 { await Task.yield() }
                let counts = (observer.observations.observations.count, observer.nonRetainingObservations.unobserveAll())
                let calls = await station.calls
                try check(counts == (1, 1) && calls > 0, "\(counts), \(calls) calls")
                _ = (observer.observations.debugDescription, station.nonRetainingObservations.observer === station)
            },
            Mistake("a source tells while nobody observes, and through a registrar that nobody uses") {
                tell(1, from: Counter())
                tell((), from: Bell())
                tell(NamedMessage(name: "x"), from: MessageCenter())
                _ = KeyValueRegistrar()
                _ = EventRegistrar<Int>()
                _ = ObservationSlot()
                _ = SharedObservationSlot()
            },
            Mistake("a source that forwards another's registrar tells: the observers are told of the owner") {
                let (counter, all) = (Counter(), Controllers())
                nonisolated(unsafe) var sources: [ObjectIdentifier] = []
                all.ofWatcher.observe(counter) { _, source, _ in unsafe sources.append(ObjectIdentifier(source)) }
                tell(1, from: ForwardingSource(counter))
                try check(unsafe sources == [ObjectIdentifier(counter)], "a handler was handed another source")
            },
        ])
}
