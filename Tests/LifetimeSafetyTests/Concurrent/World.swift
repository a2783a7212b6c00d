import SafeKVO
import SafeKVOEvents
import TestSupport

/// An observer that threads share.
final class Onlooker: Sendable {
    private let life: Life

    init(_ population: Population) { life = Life("onlooker", population) }
}

/// A subject of the observer pattern that threads share.
final class Bell: ObservableSubject, SharedObservationSource, Sendable {
    let eventRegistrar = EventRegistrar<Void>()
}

/// An actor on which handlers are called by name.
actor Keeper {
    var calls = 0
}

/// The objects that the participants of a concurrent program share.
final class World: Sendable {
    /// A shared controller that may end at any time, and its observer, which may die at any time.
    struct Desk: Sendable {
        var onlooker: Onlooker?
        var controller: SharedObservationController<Onlooker>
    }

    /// An observation whose last value must be the property's in the end.
    struct Wish: Sendable {
        let watch: Watch
        let cell: Int
        let key: Cell.Key
        /// The property's value when the registration had returned.
        let known: Int?
    }

    let population: Population
    let findings: Findings
    let mayPause: Bool
    /// `true` if handlers change and remove.
    let mayAct: Bool
    let cells: [Cell]
    let bell = Bell()
    let keeper = Keeper()
    let ticker = Ticker()
    /// A subject whose values belong to whoever got them.
    let job: Job
    let desks: [Shared<Desk>]
    let wishes = Shared<[Wish]>([])
    let keptChanges = Shared<[KeyValueChange<Int>]>([])
    let infos = Shared<[ObservationInfo]>([])
    /// The last references to objects, for whoever takes them.
    let orphans = Shared<[any AnyObject & Sendable]>([])
    /// Tasks that read sequences, to be cancelled.
    private let readers = Shared<[Task<Void, Never>]>([])
    let plants: [Shared<(any Plant)?>]
    /// All observations that have begun.
    let watches = Shared<[Watch]>([])
    let generations = Tally()

    init(_ findings: Findings, _ population: Population, mayPause: Bool, mayAct: Bool) {
        (self.findings, self.population, self.mayPause, self.mayAct) = (findings, population, mayPause, mayAct)
        cells = (0..<2).map { _ in Cell(population) }
        job = Job(population)
        desks = (0..<2).map { _ in Shared(Self.desk(population)) }
        plants = (0..<2).map { _ in Shared(nil) }
    }

    static func desk(_ population: Population) -> Desk {
        let onlooker = Onlooker(population)
        return Desk(onlooker: onlooker, controller: SharedObservationController(observer: onlooker))
    }

    func note(_ watch: Watch) { watches.with { $0.append(watch) } }

    // MARK: The end

    private func isSettled(_ wish: Wish) -> Bool {
        wish.watch.isOver || wish.watch.isSettled(at: cells[wish.cell].present(wish.key), knownAtRegistration: wish.known)
    }

    /// `true` if each observation that is left has the present value.
    var isSettled: Bool { wishes.current.allSatisfy { isSettled($0) } }

    func checkLast() {
        for wish in wishes.current where !isSettled(wish) { wish.watch.checkLast(cells[wish.cell].present(wish.key), known: wish.known) }
    }

    /// Lets go of everything that may keep an object alive.
    func end() {
        _ = wishes.exchange([])
        _ = keptChanges.exchange([])
        _ = infos.exchange([])
        for reader in readers.exchange([]) { reader.cancel() }
        _ = orphans.exchange([])
        for plant in plants { _ = plant.exchange(nil) }
        for desk in desks {
            let controller = desk.with { $0.controller }
            controller.invalidate()
        }
    }

    func keep(_ change: KeyValueChange<Int>, _ place: Int) {
        // The former object is let go of outside the lock.
        let before = keptChanges.with { kept -> KeyValueChange<Int>? in
            if kept.count < 3 {
                kept.append(change)
                return nil
            }
            defer { kept[place % 3] = change }
            return kept[place % 3]
        }
        withExtendedLifetime(before) {}
    }

    func keep(_ info: ObservationInfo) {
        let before = infos.with { kept -> [ObservationInfo] in
            defer { kept = Array((kept + [info]).suffix(3)) }
            return kept
        }
        withExtendedLifetime(before) {}
    }

    func orphan(_ object: any AnyObject & Sendable) { orphans.with { $0.append(object) } }

    // MARK: Shared controllers

    /// Registers one observation that any thread may call, in the isolation of the caller.
    private func observe<Object: KeyPathObservable & Sendable, Value: Sendable>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ watch: Watch, _ controller: SharedObservationController<Onlooker>,
        tag: ObservationTag?, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation,
        number: @escaping @Sendable (Value) -> Int
    ) -> (result: ObservationResult, hasInitial: Bool) {
        let place = Int.random(in: 0..<6, using: &random)
        let initial = Bool.random(using: &random)
        let ifAlready: RepeatedObservation = Int.random(in: 0..<4, using: &random) == 0 ? .replace : .ignore
        let end: @Sendable (ObservationEndReason) -> Void = { watch.terminated($0) }
        let act = action(on: object, keyPath, watch, controller, tag, &random)
        if watch.form == .value {
            let removing: SharedRemovingDuplicates<Value>? =
                Int.random(in: 0..<4, using: &random) == 0 ? .duplicates { number($0) == number($1) && Value.self == Int.self } : nil
            let handler: ObservationHandler<Onlooker, Value> =
                switch place {
                case 0: .mainActor { _, value in watch.value(number(value), act) }
                case 1:
                    .actor(keeper) { keeper, _, value in
                        keeper.calls += 1
                        watch.value(number(value), act)
                    }
                case 2: .globalActor(Archive.self) { @Archive _, value in watch.value(number(value), act) }
                default: .anyThread { _, value in watch.value(number(value), act) }
                }
            let result = controller.observe(
                object, keyPath, initial: initial, removing: removing, tag: tag, ifAlreadyObserved: ifAlready, on: handler,
                onTermination: end)
            return (result, initial)
        }
        if watch.form == .onChange {
            let handler: ObservationChangeHandler<Onlooker, Value, Value, Value> =
                switch place {
                case 0: .mainActor { _, old, new in watch.onChange(number(old), number(new)) }
                case 1:
                    .actor(keeper) { keeper, _, old, new in
                        keeper.calls += 1
                        watch.onChange(number(old), number(new))
                    }
                case 2: .globalActor(Archive.self) { @Archive _, old, new in watch.onChange(number(old), number(new)) }
                default: .anyThread { _, old, new in watch.onChange(number(old), number(new)) }
                }
            let result = controller.onChange(
                of: object, keyPath, tag: tag, ifAlreadyObserved: ifAlready, on: handler, onTermination: end)
            return (result, false)
        }
        var options: KeyValueObservingOptions = [.old, .new]
        if initial { options.insert(.initial) }
        if Int.random(in: 0..<3, using: &random) == 0 { options.insert(.prior) }
        let keeps = Int.random(in: 0..<4, using: &random) == 0
        let result = controller.observe(
            object, keyPath, options: options, tag: tag, ifAlreadyObserved: ifAlready,
            on: .anyThread { [weak self] _, _, change in
                guard let change = change as? KeyValueChange<Int> else { return }
                watch.change(change, act)
                if keeps { self?.keep(change, place % 3) }
            }, onTermination: end)
        return (result, initial)
    }

    /// A handler calls this in its first call.
    private func action<Object: KeyPathObservable & Sendable, Value>(
        on object: Object, _ keyPath: KeyPath<Object, Value>, _ watch: Watch, _ controller: SharedObservationController<Onlooker>,
        _ tag: ObservationTag?, _ random: inout SeededGenerator
    ) -> @Sendable () -> Void {
        if !mayAct || watch.isThroughout { return {} }
        let cell = cells.randomElement(using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return { cell?.loose.value += 1 }
        case 1: return { [weak self] in if let cell { self?.incrementMixed(cell) } }
        case 2:
            // The key path that a closure captures need not be `Sendable`, so the whole object is unobserved.
            return { [weak controller, weak object] in controller?.unobserve(object) }
        case 3: return { [weak controller] in controller?.unobserveAll() }
        case 4:
            let desk = desks.randomElement(using: &random)
            return { [population] in _ = desk?.exchange(Self.desk(population)) }
        default: return {}
        }
    }

    /// Registers an observation of a random key, at a desk or until the end; returns what its last value must be.
    @discardableResult
    func observe(
        _ controller: SharedObservationController<Onlooker>, desk: Int?, _ random: inout SeededGenerator,
        isolation: isolated (any Actor)? = #isolation
    ) -> Wish? {
        let index = Int.random(in: 0..<cells.count, using: &random)
        let cell = cells[index]
        guard let key = Cell.Key.allCases.randomElement(using: &random), var form = Watch.Form.allCases.randomElement(using: &random) else {
            return nil
        }
        if key == .whole { form = .value }
        let tag: ObservationTag? = desk == nil ? ObservationTag("\(Int.random(in: 0..<Int.max, using: &random))") : Self.tag(&random)
        let isOnMain = isolation === MainActor.shared
        let place = (desk == nil ? "" : " at a desk") + (isolation == nil ? "" : isOnMain ? ", made on main" : ", made on a plant")
        // A change that is left out during a pause breaks the chain of old and new values.
        let watch = Watch(
            "\(form) of \(key)\(place)", form, grows: key.grows, mayOverlap: form == .change, isOfStoredKey: key.isStored,
            isThroughout: desk == nil, isChained: desk == nil || !mayPause && !mayAct, findings)
        let (result, hasInitial) =
            if key.isStored {
                observe(cell.value(key), \.value, watch, controller, tag: tag, &random) { $0 }
            } else if key == .whole {
                observe(cell, \.self, watch, controller, tag: tag, &random) { $0.total }
            } else {
                observe(cell, key.keyPath, watch, controller, tag: tag, &random) { $0 }
            }
        if !result.isObserving { return nil }
        note(watch)
        // An observer that registers during a pause has its first value after the pause.
        if desk != nil, mayPause, form == .onChange { return nil }
        // A plant that was the home evaluates nothing any more when it has died.
        if isolation != nil && !isOnMain || !watch.isChained && form == .change { return nil }
        if key.isStored && form == .change { return Wish(watch: watch, cell: index, key: key, known: nil) }
        let wish = Wish(watch: watch, cell: index, key: key, known: hasInitial ? nil : cell.present(key))
        wishes.with { $0.append(wish) }
        return wish
    }

    /// Reads a sequence in a task of its own, until the sequence ends or the task is cancelled.
    private func read(_ controller: SharedObservationController<Onlooker>, _ random: inout SeededGenerator) {
        let index = Int.random(in: 0..<cells.count, using: &random)
        let cell = cells[index]
        let key: Cell.Key = [.pure, .mixed, .sum, .rank, .total].randomElement(using: &random) ?? .sum
        let watch = Watch("a sequence of \(key)", .value, grows: true, findings)
        let initial = Bool.random(using: &random)
        let values =
            key.isStored
            ? controller.values(of: cell.value(key), \.value, initial: initial)
            : controller.values(of: cell, key.keyPath, initial: initial)
        note(watch)
        let life = Life("reader", population)
        let known = cell.present(key)
        let task = Task.detached {
            for await value in values { watch.value(value) }
            watch.terminated(.removed)
            withExtendedLifetime(life) {}
        }
        if Bool.random(using: &random) { return readers.with { $0.append(task) } }
        // Without an observer, there is no sequence; in a pause, there are no values.
        if mayPause { return }
        wishes.with { $0.append(Wish(watch: watch, cell: index, key: key, known: initial ? nil : known)) }
    }

    /// Observes a cell that nobody retains but whoever takes it from the orphans.
    private func observeMortal(_ number: Int, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        let cell = Cell(population)
        let onlooker = desks[number].with { $0.onlooker }
        guard let onlooker else { return }
        let controller = SharedObservationController(observer: onlooker, retainsObserved: false)
        for form in Watch.Form.allCases {
            let key: Cell.Key = [.mixed, .sum, .total, .everything].randomElement(using: &random) ?? .sum
            let watch = Watch("\(form) of a mortal \(key)", form, grows: true, mayOverlap: true, isChained: false, findings)
            let (result, _) =
                key.isStored
                ? observe(cell.value(key), \.value, watch, controller, tag: nil, &random) { $0 }
                : observe(cell, key.keyPath, watch, controller, tag: nil, &random) { $0 }
            if result.isObserving { note(watch) }
        }
        orphan(cell)
        orphan(controller)
    }

    /// Does something with the shared controllers.
    private func administer(
        _ operation: ConcurrentOperation, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation
    ) {
        let number = Int.random(in: 0..<desks.count, using: &random)
        let desk = desks[number]
        let controller = desk.with { $0.controller }
        let cell = cells[Int.random(in: 0..<cells.count, using: &random)]
        switch operation {
        case .observe:
            for _ in 0..<Int.random(in: 1...3, using: &random) { observe(controller, desk: number, &random) }
        case .unobserve:
            let key = Cell.Key.allCases.randomElement(using: &random) ?? .sum
            switch Int.random(in: 0..<4, using: &random) {
            case 0: controller.unobserveAll()
            case 1: controller.unobserve(cell)
            case 2: controller.unobserve(cell.value(key), \.value, tag: "a")
            default: controller.unobserve(cell, key.keyPath, tag: Self.tag(&random))
            }
        case .observeMortal: observeMortal(number, &random)
        case .sequence:
            if Bool.random(using: &random) { readers.with { $0.popLast() }?.cancel() }
            read(controller, &random)
        case .pause:
            controller.isPaused ? controller.resume() : controller.pause()
        case .invalidate:
            if Bool.random(using: &random) { controller.invalidate() }
            let onlooker = desk.with { $0.onlooker }
            let former = desk.with { desk -> SharedObservationController<Onlooker>? in
                guard let onlooker else { return nil }
                defer { desk.controller = SharedObservationController(observer: onlooker) }
                return desk.controller
            }
            withExtendedLifetime(former) {}
        case .newViewer:
            // The old observer dies here, and its controller lives on for a while.
            let former = desk.with { desk -> Onlooker? in
                defer { desk.onlooker = nil }
                return desk.onlooker
            }
            withExtendedLifetime(former) {}
            let fresh = Self.desk(population)
            let old = desk.exchange(fresh)
            withExtendedLifetime(old) {}
        default: break
        }
    }

    private static func tag(_ random: inout SeededGenerator) -> ObservationTag? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: nil
        case 1: "a"
        default: "b"
        }
    }

    // MARK: Looking

    func look(_ operation: ConcurrentOperation, _ random: inout SeededGenerator) {
        switch operation {
        case .askKeptChange:
            let change = keptChanges.with { $0.randomElement(using: &random) }
            _ = change?.propertyName
            if let change { _ = "\(change)" }
        case .takeSnapshot:
            let cell = cells[Int.random(in: 0..<cells.count, using: &random)]
            let snapshots = ObservationDiagnostics.observations(of: cell, includingDependencies: Bool.random(using: &random))
            _ = snapshots.map { "\($0)" }
            _ = ObservationDiagnostics.observations(of: cell.mixed).count
        case .describeController:
            let controller = desks[Int.random(in: 0..<desks.count, using: &random)].with { $0.controller }
            _ = controller.counters
            _ = controller.isPaused
            _ = "\(controller)"
        default:
            let info = infos.with { $0.randomElement(using: &random) }
            if let info { _ = "\(info)" }
        }
    }

    func dropOrphan() {
        let orphan = orphans.with { $0.popLast() }
        (orphan as? ObservedValue<Int>)?.value += 1
        if let cell = orphan as? Cell {
            incrementMixed(cell)
            cell.withChange(of: \.total) { cell.addToTotal() }
        }
        withExtendedLifetime(orphan) {}
    }

    /// Does what every participant does; returns `false` if the operation is another one.
    func perform(_ operation: ConcurrentOperation, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) -> Bool {
        switch operation {
        case .increment, .assign, .replacePart, .announce, .announceByToken, .announceByPair, .batch: change(operation, &random)
        case .observe, .observeMortal, .unobserve, .sequence, .pause, .invalidate, .newViewer: administer(operation, &random)
        case .askKeptChange, .takeSnapshot, .describeController, .describeInfo: look(operation, &random)
        case .drop: dropOrphan()
        default: return false
        }
        return true
    }
}
