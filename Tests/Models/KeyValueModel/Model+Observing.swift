extension Model {
    mutating func observe(_ observation: ModelObservation) {
        // The numbers name observations; a controller takes each once.
        guard !observations.contains(where: { $0.id == observation.id }) else { return }
        var observation = observation
        registrations += 1
        observation.registration = registrations
        let evaluation = evaluation(of: observation)
        let value = evaluation.value
        // The key is evaluated for its first observation, and for the first that asks for old values.
        let others = observations.filter { $0.ofKey == observation.ofKey }
        if others.isEmpty || observation.asksForOld && !others.contains(where: \.asksForOld) {
            evaluations[observation.ofKey] = evaluation
        } else if !deliveries.isEmpty, let last = followed(by: observation)?.value {
            // In a handler, it is evaluated, too. Its last value stays the old one of the change that has called the handler.
            evaluations[observation.ofKey] = evaluation.withValue(last)
        }
        observations.append(observation)
        registeredReads[observation.id] = evaluation.reads
        guard observation.options.contains(.initial) else { return }
        if observation.form == .value {
            lastValues[observation.registration] = value
            lastChanges[observation.registration] = changes
        }
        let new = observation.options.contains(.new) ? value : nil
        let old = flaw == .initialTellsOld && observation.options.contains(.old) ? value : nil
        call(observation, Told(observation.form == .value ? .value : .initial, old: old, new: new), isInitial: true)
    }

    mutating func remove(where isRemoved: (ModelObservation) -> Bool) {
        if flaw == .removedObserverIsCalled { return }
        observations.removeAll(where: isRemoved)
        pending.removeAll { isRemoved($0.first.observation) }
        evaluations = evaluations.filter { key, _ in observations.contains { $0.ofKey == key } }
    }

    func isObserving(_ observation: ModelObservation) -> Bool {
        flaw == .waitingObserverIsCalled || observations.contains { $0.registration == observation.registration }
    }

    /// Calls the handler, and does what the handler does.
    mutating func call(
        _ observation: ModelObservation, _ told: Told, isInitial: Bool = false, isCertain: Bool = true, or alternatives: [Told] = []
    ) {
        let sequence: Call.Sequence = isAtEndOfBatch ? .ofBatch(observation.node) : observation.ofKey
        if !deliveries.isEmpty { deliveries[deliveries.count - 1].current = observation.ofKey }
        calls.append(Call(observation.id, told, in: sequence, isCertain: isCertain, or: alternatives))
        guard !isInitial, observation.reaction.isDue(in: told.phase) else { return }
        switch observation.reaction {
        case .none: break
        case .removesItself: remove { $0.id == observation.id }
        case .removes(let id, _): remove { $0.id == id }
        case .adds(let other, _): observe(other)
        case .sets(let assignment, _): set(assignment, observation)
        }
    }
}
