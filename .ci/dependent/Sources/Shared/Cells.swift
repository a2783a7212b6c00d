import SafeKVO

// Every legal pair of an observer and a subject, in every form, the same in each dialect: the isolation is written out.

nonisolated final class PlainSubject: KeyValueObject {
    @Observed var number = 0
    @Observed var name = ""
}

@MainActor final class MainSubject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var name = ""
}

// Two classes, because the compiler takes no wrapped property in a class that is written `nonisolated` and `Sendable` at once.
nonisolated class SharedProperties: KeyValueObject {
    @AtomicObserved var number = 0
    @AtomicObserved var name = ""
}

nonisolated final class SharedSubject: SharedProperties, @unchecked Sendable {}

@globalActor actor Pool {
    static let shared = Pool()
}

nonisolated final class PlainObserver {
    var heard: [String] = []
    func numberDidChange(_ change: KeyValueChange<Int>) { heard.append("method \(change.newValue ?? -1)") }
}

@MainActor final class MainObserver {
    var heard: [String] = []
    nonisolated init() {}
    func numberDidChange(_ change: KeyValueChange<Int>) { heard.append("method \(change.newValue ?? -1)") }
}

@Pool final class PoolSubject: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var name = ""
}

@Pool final class PoolObserver {
    var heard: [String] = []
    nonisolated init() {}
    func numberDidChange(_ change: KeyValueChange<Int>) { heard.append("method \(change.newValue ?? -1)") }
}

actor Owner {
    let subject = PlainSubject()
    var heard: [String] = []
    private(set) lazy var observations = ObservationController(observer: self)
    func hear(_ text: String) { heard.append(text) }
}

/// What each cell heard: all are to hear the same.
nonisolated enum Cells {
    static let expected = ["closure 0", "closure 1", "method 1", "several 1"]

    static func check(_ cell: String, _ heard: [String], _ expected: [String] = expected) {
        precondition(heard == expected, "\(cell) heard \(heard) and not \(expected).")
        print("  \(cell)")
    }

    static func checkSequence(_ cell: String, _ values: ObservationSequence<Int>) async {
        var iterator = values.makeAsyncIterator()
        let heard = [await iterator.next(), await iterator.next()]
        precondition(heard == [0, 1], "\(cell), a sequence, had \(heard).")
        print("  \(cell), as a sequence")
    }

    static func all() async {
        await plain()
        await onMainActor()
        await onPool()
        await Owner().plainObserver()
        await Owner().itself()
        await Owner().shared(SharedSubject())
        await everywhere()
    }

    /// Lets others run until something has been heard.
    static func hearing(_ count: Int, _ heard: () async -> [String]) async -> [String] {
        while await heard().count < count { await Task.yield() }
        return await heard()
    }
}

// MARK: No isolation

nonisolated extension Cells {
    static func plain() async {
        let (observer, subject, shared) = (PlainObserver(), PlainSubject(), SharedSubject())
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(subject, \.number, tag: "method", action: PlainObserver.numberDidChange)
        observations.observeEach(subject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        check("plain observer, plain subject", observer.heard)
        await checkSequence("plain observer, plain subject", values)

        observer.heard = []
        observations.observe(shared, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(shared, \.number, tag: "method", action: PlainObserver.numberDidChange)
        observations.observeEach(shared, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let sharedValues = observations.values(of: shared, \.number)
        shared.number = 1
        check("plain observer, shared subject", observer.heard)
        await checkSequence("plain observer, shared subject", sharedValues)
    }
}

// MARK: The main actor

nonisolated extension Cells {
    @MainActor static func onMainActor() async {
        let (observer, subject, shared) = (MainObserver(), MainSubject(), SharedSubject())
        let plainSubject = PlainSubject()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(subject, \.number, tag: "method", action: MainObserver.numberDidChange)
        observations.observeEach(subject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        check("observer and subject of the main actor", observer.heard)
        await checkSequence("observer and subject of the main actor", values)

        observer.heard = []
        observations.observe(plainSubject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(plainSubject, \.number, tag: "method", action: MainObserver.numberDidChange)
        observations.observeEach(plainSubject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let plainValues = observations.values(of: plainSubject, \.number)
        plainSubject.number = 1
        check("observer of the main actor, plain subject", observer.heard)
        await checkSequence("observer of the main actor, plain subject", plainValues)

        observer.heard = []
        observations.observe(shared, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(shared, \.number, tag: "method", action: MainObserver.numberDidChange)
        observations.observeEach(shared, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let sharedValues = observations.values(of: shared, \.number)
        shared.number = 1
        check("observer of the main actor, shared subject", observer.heard)
        await checkSequence("observer of the main actor, shared subject", sharedValues)

        let (plain, mainSubject) = (PlainObserver(), MainSubject())
        let plainObservations = ObservationController(observer: plain)
        plainObservations.observe(mainSubject, \.number) { plain, number in plain.heard.append("closure \(number)") }
        plainObservations.observe(mainSubject, \.number, tag: "method", action: PlainObserver.numberDidChange)
        plainObservations.observeEach(mainSubject, [\.number, \.name], tag: "several") { plain, _, change in
            plain.heard.append("several \(change.newValue ?? "absent")")
        }
        let mainValues = plainObservations.values(of: mainSubject, \.number)
        mainSubject.number = 1
        check("plain observer, subject of the main actor", plain.heard)
        await checkSequence("plain observer, subject of the main actor", mainValues)
    }
}

// MARK: A global actor

nonisolated extension Cells {
    @Pool static func onPool() async {
        let (observer, subject, shared) = (PoolObserver(), PlainSubject(), SharedSubject())
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(subject, \.number, tag: "method", action: PoolObserver.numberDidChange)
        observations.observeEach(subject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        check("observer of a global actor, plain subject", observer.heard)
        await checkSequence("observer of a global actor, plain subject", values)

        observer.heard = []
        observations.observe(shared, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(shared, \.number, tag: "method", action: PoolObserver.numberDidChange)
        observations.observeEach(shared, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let sharedValues = observations.values(of: shared, \.number)
        shared.number = 1
        check("observer of a global actor, shared subject", observer.heard)
        await checkSequence("observer of a global actor, shared subject", sharedValues)

        let (plain, poolSubject) = (PlainObserver(), PoolSubject())
        let poolObservations = ObservationController(observer: observer)
        let plainObservations = ObservationController(observer: plain)
        observer.heard = []
        poolObservations.observe(poolSubject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        poolObservations.observe(poolSubject, \.number, tag: "method", action: PoolObserver.numberDidChange)
        poolObservations.observeEach(poolSubject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        plainObservations.observe(poolSubject, \.number) { plain, number in plain.heard.append("closure \(number)") }
        plainObservations.observe(poolSubject, \.number, tag: "method", action: PlainObserver.numberDidChange)
        plainObservations.observeEach(poolSubject, [\.number, \.name], tag: "several") { plain, _, change in
            plain.heard.append("several \(change.newValue ?? "absent")")
        }
        let poolValues = poolObservations.values(of: poolSubject, \.number)
        let plainValues = plainObservations.values(of: poolSubject, \.number)
        poolSubject.number = 1
        check("observer and subject of a global actor", observer.heard)
        check("plain observer, subject of a global actor", plain.heard)
        await checkSequence("observer and subject of a global actor", poolValues)
        await checkSequence("plain observer, subject of a global actor", plainValues)
    }
}

// MARK: Actors

extension Owner {
    func plainObserver() async {
        let observer = PlainObserver()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.number) { observer, number in observer.heard.append("closure \(number)") }
        observations.observe(subject, \.number, tag: "method", action: PlainObserver.numberDidChange)
        observations.observeEach(subject, [\.number, \.name], tag: "several") { observer, _, change in
            observer.heard.append("several \(change.newValue ?? "absent")")
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        Cells.check("plain observer, subject of its actor", observer.heard)
        await Cells.checkSequence("plain observer, subject of its actor", values)
    }

    func itself() async {
        observations.observe(subject, \.number) { owner, number in owner.heard.append("closure \(number)") }
        observations.observe(subject, \.number, options: .new, tag: "change") { owner, subject, change in
            owner.heard.append("change \(change.newValue == subject.number)")
        }
        observations.observeEach(subject, [\.number, \.name], tag: "several") { owner, _, change in
            let text = "several \(change.newValue ?? "absent")"
            owner.assumeIsolated { $0.heard.append(text) }
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        Cells.check("actor as observer of its subject", heard, ["closure 0", "closure 1", "change true", "several 1"])
        await Cells.checkSequence("actor as observer of its subject", values)
    }

    func shared(_ subject: SharedSubject) async {
        observations.observe(subject, \.number) { owner, number in owner.heard.append("closure \(number)") }
        observations.observeEach(subject, [\.number, \.name], tag: "several") { owner, _, change in
            let text = "several \(change.newValue ?? "absent")"
            owner.assumeIsolated { $0.heard.append(text) }
        }
        let values = observations.values(of: subject, \.number)
        subject.number = 1
        Cells.check("actor as observer of a shared subject", heard, ["closure 0", "closure 1", "several 1"])
        await Cells.checkSequence("actor as observer of a shared subject", values)
    }

    /// Observes what others change.
    func watch(_ subject: SharedSubject) {
        observations.observe(subject, \.number, on: .observer { owner, number in owner.heard.append("closure \(number)") })
    }
}

// MARK: Subjects that change anywhere

nonisolated extension Cells {
    static func everywhere() async {
        let (main, pool, owner, subject) = (MainObserver(), PoolObserver(), Owner(), SharedSubject())
        let mainObservations = ObservationController(observer: main)
        mainObservations.observe(subject, \.number, on: .mainActor { main, number in main.heard.append("closure \(number)") })
        mainObservations.observe(
            subject, \.number, tag: "other",
            on: .actor(owner) { owner, main, number in
                owner.heard.append("other \(number)")
            })
        let poolObservations = ObservationController(observer: pool)
        poolObservations.observe(
            subject, \.number, on: .globalActor(Pool.self) { @Pool pool, number in pool.heard.append("closure \(number)") })
        let counter = SharedSubject()
        mainObservations.observe(subject, \.number, tag: "any", on: .anyThread { _, number in counter.number = number })
        await Task.detached { subject.number = 1 }.value
        let both = ["closure 0", "closure 1"]
        check("on: the main actor", await hearing(2) { await main.heard }, both)
        check("on: a global actor", await hearing(2) { await pool.heard }, both)
        check("on: an actor that is not the observer", await hearing(2) { await owner.heard }, ["other 0", "other 1"])
        precondition(counter.number == 1, "A handler for any thread was not called.")
        let watcher = Owner()
        await watcher.watch(subject)
        subject.number = 2
        check("on: the observing actor", await hearing(2) { await watcher.heard }, ["closure 1", "closure 2"])
        withExtendedLifetime((mainObservations, poolObservations)) {}
    }
}
