import LifetimeModel
import SafeKVO

/// Runs programs on real objects, and tells the model of everything that happens.
final class LiveProgram: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) where a program has two threads, one waits for the other.

    typealias Controller = ObservationController<LiveThing>

    let model = Model()
    /// What hangs on an object: the observations that somebody asked for, and those with which the library follows dependencies.
    private let records: (LiveThing) -> (observers: Int, dependencies: Int)
    private let checksAlways: Bool
    var places: [LiveThing?] = Array(repeating: nil, count: Program.places)
    var slots: [Controller?] = Array(repeating: nil, count: Program.slots)

    /// Prepares a program.
    ///
    /// - Parameters:
    ///   - checksAlways: Whether to count what hangs on each object after each operation, and not only now and then.
    ///   - records: Counts it.
    init(checksAlways: Bool, records: @escaping (LiveThing) -> (observers: Int, dependencies: Int)) {
        self.checksAlways = checksAlways
        self.records = records
    }

    /// Any object that there is.
    var anyThing: LiveThing? { places.lazy.compactMap { $0 }.first }

    /// Runs a program.
    ///
    /// - Returns: what was wrong, and how far it had come.
    func run(_ program: Program) -> (objection: String, index: Int)? {
        for (index, operation) in program.operations.enumerated() {
            run(operation)
            model.checkSettled()
            if checksAlways || index.isMultiple(of: 8) { checkRecords() }
            if let failure = model.failure { return (failure, index) }
        }
        checkRecords()
        for number in program.ending {
            run(number < Program.places ? .release(place: number) : .releaseController(slot: number - Program.places))
            model.checkSettled()
            if let failure = model.failure { return (failure, program.operations.count) }
        }
        model.checkEnd()
        return model.failure.map { ($0, program.operations.count) }
    }

    @inline(never)
    func run(_ operation: Operation) {
        guard model.begin(operation) else { return }
        switch operation {
        case .make(let place): put(LiveThing(model.make(place: place), self), in: place)
        case .release(let place): if model.release(place: place) { put(nil, in: place) }
        case .makeController(let slot, let observer, let retaining):
            guard let thing = places[observer], model.makeController(slot: slot, observer: observer, retaining: retaining) else { return }
            put(ObservationController(observer: thing, retainsObserved: retaining), inSlot: slot)
        case .releaseController(let slot): if model.releaseController(slot: slot) { put(nil, inSlot: slot) }
        case .observe(let name, let place, let key, let wish): observe(name, place, key, wish)
        case .set(let place, let property, let new): set(place, property, new)
        case .link(let place, let other): link(place, other)
        case .batch(let body):
            model.beginBatch()
            withBatchedChanges {
                for operation in body { run(operation) }
                model.endBatchBody()
            }
            model.endBatch()
        case .elsewhere(let body):
            model.elsewhere {
                OtherThread.run { for operation in body { self.run(operation) } }
            }
        default: remove(operation)
        }
    }

    /// What was in the place goes when the place is free to be looked at.
    private func put(_ thing: LiveThing?, in place: Int) {
        let old = places[place]
        places[place] = thing
        withExtendedLifetime(old) {}
    }

    private func put(_ controller: Controller?, inSlot slot: Int) {
        let old = slots[slot]
        slots[slot] = controller
        withExtendedLifetime(old) {}
    }

    private func set(_ place: Int, _ property: Property, _ new: Int) {
        guard let thing = places[place], model.beginSetting(place: place, property, to: new) else { return }
        if property == .value { thing.value = new } else { thing.other = new }
        withExtendedLifetime(thing) { model.endChange() }
    }

    private func link(_ place: Int, _ other: Int?) {
        let next = other.flatMap { places[$0] }
        guard let thing = places[place], model.beginLinking(place: place, to: other) else { return }
        thing.next = next
        withExtendedLifetime((thing, next)) { model.endChange() }
    }

    /// The controller that a name names.
    private func controller(_ name: ControllerName) -> Controller? {
        switch name {
        case .slot(let slot): slots[slot]
        case .automatic(let place, let retaining):
            places[place].map { retaining ? $0.observations : $0.nonRetainingObservations }
        }
    }

    private func remove(_ operation: Operation) {
        switch operation {
        case .unobserve(let name, let place, let key, let isTagged):
            compare(model.unobserve(name, place: place, [key], isTagged: isTagged, sort: .unobserve)) {
                unobserve(controller(name), places[place], key, isTagged ? "tag" : nil)
            }
        case .unobserveKeys(let name, let place, let keys, let isTagged):
            compare(model.unobserve(name, place: place, keys, isTagged: isTagged, sort: .unobserveKeys)) {
                controller(name)?.unobserve(places[place], keys.map(path), tag: isTagged ? "tag" : nil)
            }
        case .unobserveObject(let name, let place):
            compare(model.unobserveObject(name, place: place)) { controller(name)?.unobserve(places[place]) }
        case .unobserveAll(let name): compare(model.unobserveAll(name)) { controller(name)?.unobserveAll() }
        case .invalidate(let name): compare(model.invalidate(name)) { controller(name)?.invalidate() }
        default: return
        }
    }

    /// Removes, if the model has no reason not to, and compares how many went.
    private func compare(_ expected: Int?, _ remove: () -> Int?) {
        guard let expected else { return }
        let removed = remove()
        if removed != expected { model.objects(to: "removed \(removed ?? -1) instead of \(expected)") }
    }

    private func unobserve(_ controller: Controller?, _ thing: LiveThing?, _ key: Key, _ tag: ObservationTag?) -> Int? {
        switch key {
        case .value: controller?.unobserve(thing, \.value, tag: tag)
        case .other: controller?.unobserve(thing, \.other, tag: tag)
        case .double: controller?.unobserve(thing, \.double, tag: tag)
        case .nextValue: controller?.unobserve(thing, \.next?.value, tag: tag)
        }
    }

    private func path(_ key: Key) -> PartialKeyPath<LiveThing> {
        switch key {
        case .value: \.value
        case .other: \.other
        case .double: \.double
        case .nextValue: \.next?.value
        }
    }

    private func checkRecords() {
        for (place, thing) in places.enumerated() {
            guard let thing, let expected = model.records(place: place) else { continue }
            let records = records(thing)
            if records.observers != expected.observers || (records.dependencies > 0) != expected.isFollowed {
                model.objects(to: "on the object in place \(place) hang \(records) instead of \(expected)")
            }
        }
        for (slot, controller) in slots.enumerated() {
            guard let controller, let expected = model.state(slot: slot) else { continue }
            let counters = controller.counters
            let counted = Counters(
                delivered: Int(counters.delivered), swallowed: Int(counters.swallowed), ignoredAdds: Int(counters.ignoredAdds),
                ignoredRemoves: Int(counters.ignoredRemoves))
            if counted != expected.counters || controller.observations.count != expected.observations {
                model.objects(to: "the controller in slot \(slot) has \(counted), \(controller.observations.count) instead of \(expected)")
            }
        }
    }
}
