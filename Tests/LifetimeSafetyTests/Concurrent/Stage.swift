import SafeKVO
import SafeKVOEvents
import TestSupport

/// The objects of one region, and what is done with them there.
final class Stage {
    private struct Wish {
        let watch: Watch
        let key: StageModel.Key
        let known: Int?
    }

    let region: Region
    private let world: World
    private var view: StageView
    private var model: StageModel
    private var tokens: [ObservationToken] = []
    private var wishes: [Wish] = []
    private var source: StageSource?
    private var listener: StageListener?
    private var tickerModel: TickerModel?
    /// The observations of `view.observations`, which are removed together.
    private var watched: [Watch] = []

    init(_ place: Region.Place, _ world: World) {
        region = Region(place, world.findings)
        self.world = world
        view = StageView(world.population)
        model = StageModel(region, world.population)
    }

    private func canary() -> Canary { Canary(region, world.population) }

    func perform(_ operation: ConcurrentOperation, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        if world.perform(operation, &random) { return }
        switch operation {
        case .change: model.number += 1
        case .changeInPlace: model.items.append(1)
        case .announceOwn: model.announced += 1
        case .batchOwn:
            model.withBatchedChanges {
                model.number += 1
                model.items.append(2)
                model.announced += 1
            }
        case .follow: model.cell = model.cell == nil ? world.cells.randomElement(using: &random) : nil
        case .observeOwn: observeOwn(StageModel.Key.allCases.filter { $0 != .late }, &random)
        case .observeLate: observeOwn([.late], &random)
        case .observeShared: observeShared(&random)
        case .unobserveOwn: unobserve(&random)
        case .pauseOwn: view.observations.isPaused ? view.observations.resume() : view.observations.pause()
        case .invalidateOwn, .newView:
            if operation == .invalidateOwn { endAll { $0.invalidate() } }
            wishes = []
            watched = []
            view = StageView(world.population)
        case .newModel:
            wishes = []
            if Bool.random(using: &random) { view.observations.unobserve(model) }
            model = StageModel(region, world.population)
        case .nest:
            view.notRetaining.observe(model, \.items, options: [], tag: "nest") { _, model, _ in
                if model.items.count % 4 == 1 { model.items.append(3) }
            }
        case .cancelToken:
            if Bool.random(using: &random) { tokens.last?.cancel() }
            _ = tokens.popLast()
        case .token, .tokenOfJob, .tokenOfSelf, .freshValue: addToken(operation, &random)
        case .source: useSource(&random)
        case .attach: attach(&random)
        case .track: world.ticker.tick()
        case .newPlant: world.newPlant(&random)
        default: break
        }
    }

    // MARK: Observing

    private func observeOwn(_ keys: [StageModel.Key], _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        guard let key = keys.randomElement(using: &random), let form = Watch.Form.allCases.randomElement(using: &random) else { return }
        switch key {
        case .items: observeOwn(\.items, key, form, &random) { $0.count }
        case .same: observeOwn(\.same, key, form, &random) { $0.count }
        default: observeOwn(key.keyPath, key, form, &random) { $0 }
        }
    }

    private func observeOwn<Value: Equatable>(
        _ keyPath: KeyPath<StageModel, Value>, _ key: StageModel.Key, _ form: Watch.Form, _ random: inout SeededGenerator,
        isolation: isolated (any Actor)? = #isolation, number: @escaping (Value) -> Int
    ) {
        let watch = Watch("\(form) of a region's \(key)", form, grows: key != .late, isOfStoredKey: key == .number, world.findings)
        let (canary, world, model) = (canary(), world, model)
        let initial = Bool.random(using: &random)
        let tag: ObservationTag? = Bool.random(using: &random) ? "a" : nil
        let ifAlready: RepeatedObservation = Bool.random(using: &random) ? .replace : .ignore
        let removes = Int.random(in: 0..<4, using: &random) == 0
        let (keeps, place) = (Bool.random(using: &random), Int.random(in: 0..<3, using: &random))
        let controller = Int.random(in: 0..<4, using: &random) == 0 ? view.notRetaining : view.observations
        let end: @Sendable (ObservationEndReason) -> Void = { watch.terminated($0) }
        let action = world.mayAct ? Int.random(in: 0..<8, using: &random) : -1
        let result: ObservationResult
        switch form {
        case .value:
            result = controller.observe(
                model, keyPath, initial: initial, removing: removes ? .duplicates : nil, tag: tag, ifAlreadyObserved: ifAlready,
                handler: { [weak self] view, value in
                    watch.value(number(value)) { self?.act(action) }
                    canary.region.use("a handler")
                    view.calls += 1
                }, onTermination: end)
        case .onChange:
            result = controller.onChange(
                of: model, keyPath, tag: tag, ifAlreadyObserved: ifAlready,
                handler: { view, old, new in
                    canary.region.use("a handler")
                    view.calls += 1
                    watch.onChange(number(old), number(new))
                }, onTermination: end)
        case .change:
            var options: KeyValueObservingOptions = [.old, .new]
            if initial { options.insert(.initial) }
            if Bool.random(using: &random) { options.insert(.prior) }
            result = controller.observe(
                model, keyPath, options: options, tag: tag, ifAlreadyObserved: ifAlready,
                handler: { [weak self] view, _, change in
                    watch.begin()
                    if watch.mayAct() { self?.act(action) }
                    canary.region.use("a handler")
                    view.calls += 1
                    watch.end()
                    if keeps, let change = change as? KeyValueChange<Int> { world.keep(change, place) }
                }, onTermination: end)
        }
        check(result, "\(form) of \(key)", isShared: key == .late && model.cell != nil, isolation)
        guard result.isObserving else { return }
        world.note(watch)
        if controller === view.observations { watched.append(watch) }
        // A handler may have replaced the model.
        if form == .change || world.mayPause || key == .late && isolation == nil || self.model !== model { return }
        wishes.append(Wish(watch: watch, key: key, known: form == .value && initial ? nil : model[keyPath: key.keyPath]))
    }

    /// Ends all observations of the controller, so that no handler is called any more: all are called in this region.
    private func endAll(_ end: (ObservationController<StageView>) -> Void) {
        end(view.observations)
        for watch in watched { watch.isRemovedAtHome() }
        watched = []
    }

    /// A handler calls this in its first call: it may end its own observation, its observer, its object and its controller.
    private func act(_ action: Int) {
        switch action {
        case 0: endAll { $0.unobserveAll() }
        case 1: endAll { $0.invalidate() }
        case 2:
            wishes = []
            model = StageModel(region, world.population)
        case 3:
            wishes = []
            watched = []
            view = StageView(world.population)
        case 4: model.number += 1
        case 5: model.items.append(4)
        case 6: tokens = []
        default: break
        }
    }

    /// Rule 40b: registered in no isolation, a key path that reads a shared value is refused.
    private func check(_ result: ObservationResult, _ what: String, isShared: Bool, _ isolation: (any Actor)?) {
        let isRefused = result == .refused(.noIsolation)
        let mayRefuse = isolation == nil && isShared
        if isRefused != mayRefuse, result != .alreadyObserved { world.findings.add("40b refused in no isolation", "\(what): \(result)") }
    }

    private func observeShared(_ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        let reading: [Cell.Key] = [.sum, .rank, .everything, .pure, .mixed]
        let keys: [Cell.Key] = isolation == nil ? reading : reading + [.total, .twice]
        guard let key = keys.randomElement(using: &random), let cell = world.cells.randomElement(using: &random) else { return }
        let watch = Watch("value of a shared \(key) in a region", .value, grows: true, world.findings)
        let canary = canary()
        let tag: ObservationTag? = Bool.random(using: &random) ? "a" : nil
        let handler: (StageView, Int) -> Void = { view, value in
            canary.region.use("a handler")
            view.calls += 1
            watch.value(value)
        }
        let end: @Sendable (ObservationEndReason) -> Void = { watch.terminated($0) }
        let result =
            key.isStored
            ? view.observations.observe(
                cell.value(key), \.value, tag: tag, ifAlreadyObserved: .replace, handler: handler, onTermination: end)
            : view.observations.observe(cell, key.keyPath, tag: tag, ifAlreadyObserved: .replace, handler: handler, onTermination: end)
        check(result, "value of a shared \(key)", isShared: true, isolation)
        if result.isObserving { world.note(watch) }
    }

    private func unobserve(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: endAll { $0.unobserveAll() }
        case 1: view.observations.unobserve(model)
        default:
            let key = StageModel.Key.allCases.randomElement(using: &random) ?? .number
            view.observations.unobserve(model, key.keyPath, tag: Bool.random(using: &random) ? "a" : nil)
        }
    }

    private func addToken(_ operation: ConcurrentOperation, _ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation)
    {
        let canary = canary()
        if tokens.count > 5 { tokens.removeFirst() }
        switch operation {
        case .tokenOfJob:
            let job = Job(world.population)
            tokens.append(job.observation(of: \.label) { _, _ in canary.region.use("a handler") })
            world.orphan(job)
        case .tokenOfSelf:
            let value = ObservedValue(0)
            tokens.append(value.observation(of: \.self) { _, _ in canary.region.use("a handler") })
            world.orphan(value)
        case .freshValue:
            tokens.append(
                world.job.observation(of: \.fresh, options: [.initial, .old, .new]) { _, change in
                    change.newValue?.content.canary = canary
                })
        default:
            tokens.append(model.observation(of: \.double, options: [.old, .new]) { _, _ in canary.region.use("a handler") })
        }
    }

    private func useSource(_ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        if let source, Bool.random(using: &random) {
            source.eventRegistrar.notify(1)
            view.observations.unobserve(source)
            return
        }
        let (source, canary) = (source ?? StageSource(world), canary())
        self.source = source
        view.observations.observe(source) { view, _ in
            canary.region.use("a handler")
            view.calls += 1
        }
    }

    private func attach(_ random: inout SeededGenerator, isolation: isolated (any Actor)? = #isolation) {
        if Bool.random(using: &random) { return world.bell.notify() }
        let listener = StageListener(region, world.population)
        let result = world.bell.attach(listener)
        if isolation == nil, result != .refused(.noIsolation) {
            world.findings.add("40b an attachment is refused in no isolation", "\(result)")
        }
        self.listener = listener
    }

    /// Observes an `@Observable` object, which only actors can do.
    func track(isolation: isolated any Actor = #isolation) {
        world.ticker.tick()
        let model = TickerModel(world.ticker, region, world.population)
        let canary = canary()
        view.notRetaining.observe(model, \.twice) { view, _ in
            canary.region.use("a handler")
            view.calls += 1
        }
        tickerModel = model
    }

    // MARK: The end

    /// `true` if each observation that is left has the present value.
    var isSettled: Bool {
        wishes.allSatisfy { $0.watch.isOver || $0.watch.isSettled(at: model[keyPath: $0.key.keyPath], knownAtRegistration: $0.known) }
    }

    func checkLast() {
        for wish in wishes where !wish.watch.isOver { wish.watch.checkLast(model[keyPath: wish.key.keyPath], known: wish.known) }
    }

    /// Ends everything, in the region.
    func end() {
        tokens = []
        (wishes, watched) = ([], [])
        view = StageView(world.population)
        model = StageModel(region, world.population)
        (source, listener, tickerModel) = (nil, nil, nil)
    }
}
