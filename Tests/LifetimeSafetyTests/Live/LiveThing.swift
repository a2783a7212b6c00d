import LifetimeModel
import SafeKVO

/// An object of a program: subject and observer at once.
final class LiveThing: KeyValueObject, ProgramThing {
    let observationSlot = ObservationSlot()
    private let id: Int
    private unowned let program: LiveProgram<LiveThing>
    @Observed var value = 0
    @Observed var other = 0
    @Observed var next: LiveThing?
    var double: Int { value * 2 }

    init(_ id: Int, _ program: LiveProgram<LiveThing>) {
        self.id = id
        self.program = program
    }

    deinit {
        program.model.died(id)
        // Nobody may hear of this.
        value = -1
        guard id.isMultiple(of: 4) else { return }
        // Perhaps the first use of the controllers.
        let refused = nonRetainingObservations.observe(self, \.value, options: .new) { _, _, _ in }
        if refused != .refused(.objectDeinitialized) { program.model.objects(to: "an object in its deinit was observed: \(refused)") }
        if let living = program.anyThing {
            let refused = observations.observe(living, \.double) { _, _ in }
            if refused != .refused(.observerDeinitialized) { program.model.objects(to: "an object in its deinit observes: \(refused)") }
        }
    }

    func set(_ property: Property, to new: Int) {
        if property == .value { value = new } else { other = new }
    }

    func link(to other: LiveThing?) { next = other }
}

extension LiveThing {
    static func observe(
        _ thing: LiveThing?, _ key: Key, with controller: ObservationController<LiveThing>, options: KeyValueObservingOptions,
        tag: ObservationTag?, ifAlreadyObserved: RepeatedObservation, handler: @escaping (Phase, Int?, Int?) -> Void,
        onTermination: @escaping @Sendable (ObservationEndReason) -> Void
    ) -> ObservationResult {
        func observe<Value>(_ keyPath: KeyPath<LiveThing, Value>, number: @escaping (Value) -> Int) -> ObservationResult {
            controller.observe(
                thing, keyPath, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                handler: { _, _, change in handler(Phase(change), change.oldValue.map(number), change.newValue.map(number)) },
                onTermination: onTermination)
        }
        return switch key {
        case .value: observe(\.value) { $0 }
        case .other: observe(\.other) { $0 }
        case .double: observe(\.double) { $0 }
        case .nextValue: observe(\.next?.value) { $0 ?? -1 }
        }
    }

    static func unobserve(
        _ thing: LiveThing?, _ key: Key, with controller: ObservationController<LiveThing>, tag: ObservationTag?
    ) -> Int {
        switch key {
        case .value: controller.unobserve(thing, \.value, tag: tag)
        case .other: controller.unobserve(thing, \.other, tag: tag)
        case .double: controller.unobserve(thing, \.double, tag: tag)
        case .nextValue: controller.unobserve(thing, \.next?.value, tag: tag)
        }
    }

    static func unobserve(
        _ thing: LiveThing?, _ keys: [Key], with controller: ObservationController<LiveThing>, tag: ObservationTag?
    ) -> Int {
        controller.unobserveEach(thing, keys.map(path), tag: tag)
    }

    static func unobserve(_ thing: LiveThing?, with controller: ObservationController<LiveThing>) -> Int { controller.unobserve(thing) }

    private static func path(_ key: Key) -> PartialKeyPath<LiveThing> {
        switch key {
        case .value: \.value
        case .other: \.other
        case .double: \.double
        case .nextValue: \.next?.value
        }
    }
}
