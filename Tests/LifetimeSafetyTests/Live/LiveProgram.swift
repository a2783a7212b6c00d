import LifetimeModel
import SafeKVO

/// Runs programs on real objects, and tells the model of everything that happens.
final class LiveProgram<Thing: ProgramThing>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) where a program has two threads, one waits for the other.

    typealias Controller = ObservationController<Thing>

    let model = Model(takesKeysOneByOne: Thing.takesKeysOneByOne)
    private let checksAlways: Bool
    var places: [Thing?] = Array(repeating: nil, count: Program.places)
    var slots: [Controller?] = Array(repeating: nil, count: Program.slots)

    /// Prepares a program.
    ///
    /// - Parameter checksAlways: Whether to count what hangs on each object after each operation, and not only now and then.
    init(checksAlways: Bool) {
        self.checksAlways = checksAlways
    }

    /// Any object that there is.
    var anyThing: Thing? { places.lazy.compactMap { $0 }.first }

    /// Runs a program.
    ///
    /// - Returns: what was wrong, and how far it had come.
    func run(_ program: Program) -> (objection: String, index: Int)? {
        for (index, operation) in program.operations.enumerated() {
            run(operation)
            model.checkSettled()
            if checksAlways || index.isMultiple(of: 8) { checkRecords() }
            checkMisuse()
            if let failure = model.failure { return (failure, index) }
        }
        checkRecords()
        for number in program.ending {
            run(number < Program.places ? .release(place: number) : .releaseController(slot: number - Program.places))
            model.checkSettled()
            if let failure = model.failure { return (failure, program.operations.count) }
        }
        model.checkEnd()
        checkMisuse()
        return model.failure.map { ($0, program.operations.count) }
    }

    @inline(never)
    func run(_ operation: Operation) {
        guard model.begin(operation) else { return }
        switch operation {
        case .make(let place): put(Thing(model.make(place: place), self), in: place)
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
    private func put(_ thing: Thing?, in place: Int) {
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
        thing.set(property, to: new)
        withExtendedLifetime(thing) { model.endChange() }
    }

    private func link(_ place: Int, _ other: Int?) {
        let next = other.flatMap { places[$0] }
        guard let thing = places[place], model.beginLinking(place: place, to: other) else { return }
        thing.link(to: next)
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
                controller(name).map { Thing.unobserve(places[place], key, with: $0, tag: isTagged ? "tag" : nil) }
            }
        case .unobserveKeys(let name, let place, let keys, let isTagged):
            compare(model.unobserve(name, place: place, keys, isTagged: isTagged, sort: .unobserveKeys)) {
                controller(name).map { Thing.unobserve(places[place], keys, with: $0, tag: isTagged ? "tag" : nil) }
            }
        case .unobserveObject(let name, let place):
            compare(model.unobserveObject(name, place: place)) {
                controller(name).map { Thing.unobserve(places[place], with: $0) }
            }
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

    private func checkMisuse() {
        if let misuse = Thing.misuse() { model.objects(to: misuse) }
    }

    private func checkRecords() {
        for (place, thing) in places.enumerated() {
            guard let thing, let expected = model.records(place: place) else { continue }
            let records = thing.records
            if records.observers != expected.observers || (records.dependencies > 0) != expected.isFollowed {
                model.objects(to: "on the object in place \(place) hang \(records) instead of \(expected)")
            }
        }
        for (slot, controller) in slots.enumerated() {
            guard let controller, let expected = model.state(slot: slot) else { continue }
            let counters = controller.counters
            let counted = Counters(
                delivered: Int(counters.delivered), dropped: Int(counters.dropped), ignoredAdds: Int(counters.ignoredAdds),
                ignoredRemoves: Int(counters.ignoredRemoves))
            if counted != expected.counters || controller.observations.count != expected.observations {
                model.objects(to: "the controller in slot \(slot) has \(counted), \(controller.observations.count) instead of \(expected)")
            }
        }
    }
}
