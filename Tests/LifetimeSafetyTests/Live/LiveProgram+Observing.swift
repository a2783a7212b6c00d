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
    private func end(_ id: Int, _ outcome: Outcome?, _ controller: Controller?, _ thing: LiveThing?) {
        withExtendedLifetime((controller, thing)) {
            if let outcome { model.endObserving(id, outcome) } else { model.objects(to: "an unknown outcome of observation \(id)") }
        }
    }

    private func observe(_ id: Int, _ controller: Controller, _ thing: LiveThing?, _ key: Key, _ wish: Wish) -> Outcome? {
        switch key {
        case .value: observe(id, controller, thing, \.value, wish) { $0 }
        case .other: observe(id, controller, thing, \.other, wish) { $0 }
        case .double: observe(id, controller, thing, \.double, wish) { $0 }
        case .nextValue: observe(id, controller, thing, \.next?.value, wish) { $0 ?? -1 }
        }
    }

    private func observe<Value>(
        _ id: Int, _ controller: Controller, _ thing: LiveThing?, _ keyPath: KeyPath<LiveThing, Value>, _ wish: Wish,
        number: @escaping (Value) -> Int
    ) -> Outcome? {
        var options: KeyValueObservingOptions = wish.old ? [.old, .new] : .new
        if wish.initial { options.insert(.initial) }
        if wish.prior { options.insert(.prior) }
        let result = controller.observe(
            thing, keyPath, options: options, tag: wish.isTagged ? "tag" : nil, ifAlreadyObserved: wish.replaces ? .replace : .ignore,
            handler: { [unowned self, capture = LiveCapture(id, self)] _, _, change in
                withExtendedLifetime(capture) {
                    let phase: Phase = change.isInitial ? .initial : change.isPrior ? .prior : .after
                    for operation in model.called(id, phase, old: change.oldValue.map(number), new: change.newValue.map(number)) {
                        run(operation)
                    }
                    model.returned(id)
                }
            },
            onEnd: { [unowned self] reason in model.ended(id, EndReason(reason)) })
        return Outcome(result)
    }
}

extension EndReason {
    init(_ reason: ObservationEndReason) {
        self =
            switch reason {
            case .removed: .removed
            case .replaced: .replaced
            case .observerGone: .observerGone
            case .observedGone: .observedGone
            case .controllerInvalidated: .controllerInvalidated
            }
    }
}

extension Outcome {
    init?(_ result: ObservationResult) {
        switch result {
        case .added: self = .added
        case .alreadyObserved: self = .alreadyObserved
        case .replaced: self = .replaced
        case .refused(.observerGone): self = .observerGone
        case .refused(.controllerInvalidated): self = .controllerInvalidated
        case .refused: return nil
        }
    }
}
