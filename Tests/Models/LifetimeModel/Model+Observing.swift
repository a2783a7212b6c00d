extension Model {
    /// An observation is about to be asked for.
    ///
    /// - Returns: its number; nil if the program may not do so now.
    package func beginObserving(_ name: ControllerName, place: Int, _ key: Key, _ wish: Wish) -> Int? {
        guard let subject = places[place], let controller = controller(name) else { return nil }
        let state = controllers[controller]
        // A ring of references is a mistake of the program.
        if state.isAutomatic, state.retaining, state.observer != subject, things[state.observer].rank >= things[subject].rank { return nil }
        count(.observe)
        letGo(controller)
        var (outcome, order) = (Outcome.added, watches.count)
        var replaced: Int?
        if things[state.observer].isDead {
            outcome = .observerDeinitialized
        } else if state.isInvalidated {
            outcome = .controllerInvalidated
        } else if let present = find(controller, subject, key, wish.isTagged) {
            outcome = wish.replaces ? .replaced : .alreadyObserved
            if wish.replaces { (order, replaced) = (watches[present].order, present) }
        }
        if outcome == .alreadyObserved { controllers[controller].counters.ignoredAdds += 1 }
        let id = watches.count
        let retains = outcome.isObserving && state.retaining && state.observer != subject
        watches.append(
            Watch(
                controller: controller, observer: state.observer, subject: subject, key: key, wish: wish, outcome: outcome,
                retains: retains,
                serial: id, order: order, isFromElsewhere: elsewhereDepth > 0, shots: wish.shots,
                isStarting: outcome.isObserving && wish.initial))
        if retains { retain(subject) }
        if isLeftToWaitingThread(watches[id]) { left.insert(subject) }
        if outcome.isObserving { active.append(id) }
        if let replaced { end(replaced, [.replaced]) }
        // Whoever calls keeps both to the end of the call.
        retain(subject)
        controllers[controller].references += 1
        let frame = Frame(.registration(watch: id), serial: id)
        if outcome.isObserving, wish.initial { frame.dues = [Due(watch: id, phase: .initial, new: plainValue(subject, key))] }
        frames.append(frame)
        return id
    }

    /// The call that asked for an observation returns.
    package func endObserving(_ id: Int, _ outcome: Outcome) {
        check(watches[id].outcome == outcome, "observation \(id) was \(outcome) instead of \(watches[id].outcome)")
        if let frame = frames.popLast() {
            check(frame.dues.isEmpty, "observation \(id) got no initial call")
        }
        if watches[id].mayEndFor == nil, !isObserverGoing(watches[id]) {
            check(watches[id].waiting.allSatisfy(\.isOptional), "observation \(id) was not told what changed during its initial call")
        }
        watches[id].waiting = []
        watches[id].isStarting = false
        release(watches[id].subject)
        releaseController(watches[id].controller)
    }

    private func find(_ controller: Int, _ subject: Int, _ key: Key, _ isTagged: Bool) -> Int? {
        active.first {
            let watch = watches[$0]
            return watch.controller == controller && watch.subject == subject && watch.key == key && watch.wish.isTagged == isTagged
        }
    }

    /// A property's value now.
    func plainValue(_ thing: Int, _ key: Key) -> Int? {
        switch key {
        case .value: things[thing].value
        case .other: things[thing].other
        default: nil
        }
    }

    // MARK: Removing

    /// Some keys are about to be unobserved.
    ///
    /// - Returns: how many observations will go.
    package func unobserve(_ name: ControllerName, place: Int, _ keys: [Key], isTagged: Bool, sort: Operation.Sort) -> Int? {
        guard let subject = places[place], let controller = controller(name) else { return nil }
        count(sort)
        letGo(controller)
        var removed = 0
        for key in keys {
            if let watch = find(controller, subject, key, isTagged) {
                end(watch, [.removed])
                removed += 1
            } else {
                controllers[controller].counters.ignoredRemoves += 1
            }
        }
        return removed
    }

    /// An object is about to be unobserved.
    package func unobserveObject(_ name: ControllerName, place: Int) -> Int? {
        guard let subject = places[place], let controller = controller(name) else { return nil }
        count(.unobserveObject)
        letGo(controller)
        return endAll(controller, .removed) { $0.subject == subject }
    }

    /// Everything is about to be unobserved.
    package func unobserveAll(_ name: ControllerName) -> Int? {
        guard let controller = controller(name) else { return nil }
        count(.unobserveAll)
        letGo(controller)
        return endAll(controller, .removed) { _ in true }
    }

    /// A controller is about to be made useless.
    package func invalidate(_ name: ControllerName) -> Int? {
        guard let controller = controller(name) else { return nil }
        count(.invalidate)
        letGo(controller)
        controllers[controller].isInvalidated = true
        let ignored = controllers[controller].counters.ignoredRemoves
        defer { controllers[controller].counters.ignoredRemoves = ignored }
        return endAll(controller, .controllerInvalidated) { _ in true }
    }

    private func endAll(_ controller: Int, _ reason: EndReason, where matches: (Watch) -> Bool) -> Int {
        let all = active.filter { watches[$0].controller == controller && matches(watches[$0]) }
        for watch in all { end(watch, [reason]) }
        if all.isEmpty { controllers[controller].counters.ignoredRemoves += 1 }
        return all.count
    }
}
