import LifetimeModel
import SafeKVO

extension LiveProgram {
    func observe(_ name: ControllerName, _ place: Int, _ key: Key, _ wish: Wish) {
        guard let id = model.beginObserving(name, place: place, key, wish) else { return }
        let thing = places[place]
        let outcome: Outcome?
        switch name {
        case .slot(let slot):
            let controller = slots[slot]
            outcome = controller.flatMap { observe(id, $0, thing, key, wish) }
            end(id, outcome, controller, thing)
        case .automatic(let observer, let retaining):
            let controller = places[observer].map { retaining ? $0.observations : $0.nonRetainingObservations }
            outcome = controller.flatMap { observe(id, $0, thing, key, wish) }
            end(id, outcome, controller, thing)
        }
    }

    /// Tells the model while controller and object are still held.
    private func end(_ id: Int, _ outcome: Outcome?, _ controller: Controller?, _ thing: Thing?) {
        withExtendedLifetime((controller, thing)) {
            if let outcome { model.endObserving(id, outcome) } else { model.objects(to: "an unknown outcome of observation \(id)") }
        }
    }

    private func observe(_ id: Int, _ controller: Controller, _ thing: Thing?, _ key: Key, _ wish: Wish) -> Outcome? {
        var options: KeyValueObservingOptions = wish.old ? [.old, .new] : .new
        if wish.initial { options.insert(.initial) }
        if wish.prior { options.insert(.prior) }
        let result = Thing.observe(
            thing, key, with: controller, options: options, tag: wish.isTagged ? "tag" : nil,
            ifAlreadyObserved: wish.replaces ? .replace : .ignore,
            handler: { [unowned self, capture = LiveCapture(id, model)] phase, old, new in
                withExtendedLifetime(capture) {
                    for operation in model.called(id, phase, old: old, new: new) { run(operation) }
                    model.returned(id)
                }
            },
            onTermination: { [unowned self] reason in model.ended(id, EndReason(reason)) })
        return Outcome(result)
    }
}

extension EndReason {
    init(_ reason: ObservationEndReason) {
        self =
            switch reason {
            case .removed: .removed
            case .replaced: .replaced
            case .observerDeinitialized: .observerDeinitialized
            case .objectDeinitialized: .objectDeinitialized
            case .controllerInvalidated: .controllerInvalidated
            case .clockFailed: preconditionFailure("No program polls.")
            }
    }
}

extension Outcome {
    init?(_ result: ObservationResult) {
        switch result {
        case .added: self = .added
        case .alreadyObserved: self = .alreadyObserved
        case .replaced: self = .replaced
        case .refused(.observerDeinitialized): self = .observerDeinitialized
        case .refused(.controllerInvalidated): self = .controllerInvalidated
        case .refused: return nil
        }
    }
}
