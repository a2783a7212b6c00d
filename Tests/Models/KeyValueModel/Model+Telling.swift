extension Model {
    /// Who depends on a place, now, in order of registration, and last who observes the whole object.
    func hearers(of change: Change, _ place: Place) -> [Hearer] {
        var hearers: [Hearer] = []
        for observation in observations {
            guard let followed = flaw == .unreportedChangesAreSeen ? evaluation(of: observation) : followed(by: observation),
                isDependent(observation, on: place, followed.reads)
            else { continue }
            // What changes the value of a key inside a manual notification of that key is part of it.
            let own = observation.key.computed.map { Place(observation.node, $0) }
            if let own, own != place, isAnnounced(own) { continue }
            let hearer = Hearer(
                observation: observation, old: oldValue(of: observation, changed: place, followed), reads: followed.reads,
                change: seen(change, by: observation, place, followed), lookalike: followed.lookalike == place ? change : nil)
            hearers.append(hearer)
            if flaw == .diamondIsToldTwice, observation.key == .diamond { hearers.append(hearer) }
        }
        return flaw == .orderIsReversed ? hearers.reversed() : entireLast(hearers, \.observation)
    }

    /// The same with those who have come since the beginning of a change, and whose derived keys depend on the place.
    ///
    /// An evaluation calls whoever is there when it begins (rule 10). A stored property that declares what it depends on (`own`) is evaluated
    /// too, unless it is announced by hand.
    func withNewcomers(_ hearers: [Hearer], _ change: Change, _ place: Place, isByHand: Bool = false) -> [Hearer] {
        if flaw == .newcomersAreMissed { return hearers }
        let newcomers = self.hearers(of: change, place).filter { newcomer in
            let (observation, key) = (newcomer.observation, newcomer.observation.key)
            return key != .entire && (key == .own && !isByHand || !isOwn(place, of: observation))
                && !hearers.contains { $0.observation.registration == observation.registration }
        }.map { newcomer in
            var newcomer = newcomer
            if newcomer.observation.key == .own, let last = followed(by: newcomer.observation)?.value { newcomer.old = last }
            return newcomer
        }
        return entireLast(hearers + newcomers, \.observation)
    }

    /// The same elements in the same order, but last those for observations of the whole object.
    func entireLast<Element>(_ elements: [Element], _ observation: (Element) -> ModelObservation) -> [Element] {
        if flaw == .objectComesInOrder { return elements }
        return elements.filter { observation($0).key != .entire } + elements.filter { observation($0).key == .entire }
    }

    /// The value before a change: of a stored or announced key the value then, of a derived key that after the last change that was noticed.
    private func oldValue(of observation: ModelObservation, changed place: Place, _ followed: Evaluation) -> Value {
        isOwn(place, of: observation) || flaw == .oldIsReadBefore ? evaluation(of: observation).value : followed.value
    }

    private func isDependent(_ observation: ModelObservation, on place: Place, _ reads: Places) -> Bool {
        switch flaw {
        case .dependenciesStayAsRegistered: registeredReads[observation.id]?.contains(place) ?? false
        case .deepDependenciesAreMissed: reads.contains(place) && (place.node == observation.node || observation.key != .innerInnerA)
        case .declaredDependenciesAreMissed: reads.contains(place) && (observation.key != .label || place == Place(observation.node, .a))
        case .unreportedHopsAreHeard:
            reads.contains(place) || observation.key.leadsOverManual && place == Place(observation.node, .manual)
        case .announcedLeavesAreHeard:
            reads.contains(place) || observation.key == .innerOutside && place == Place(nodes[observation.node].inner, .outside)
        case .formerHopIsHeard: reads.contains(place) || registeredReads[observation.id]?.contains(place) ?? false
        case .weakHopIsMissed: reads.contains(place) && (place.property != .weak || observation.key == .weak)
        case .accessIsMissed: reads.contains(place) && (place.property != .text || observation.key == .text)
        case .declaredOfStoredAreMissed: reads.contains(place) && (observation.key != .own || place == Place(observation.node, .own))
        case .atomicHopIsMissed: reads.contains(place) && (place.property != .atomic || observation.key == .atomic)
        default: reads.contains(place)
        }
    }

    /// The change as an observation sees it: as it is if the value of the key is the value of the changed property, otherwise a setting.
    func seen(_ change: Change, by observation: ModelObservation, _ place: Place, _ evaluation: Evaluation?) -> Change {
        if case .elements(let kind, _, let old, let new) = change {
            let key = observation.key
            if flaw == .kindIsLost { return .setting }
            if flaw == .indexesAreLost { return .elements(kind, nil, old: old, new: new) }
            if flaw == .kindIsKeptBehindTheCollection, key == .itemsCount || key == .innerItemsCount { return change }
            if flaw == .kindIsLostBehindConstants, key == .fixedItems { return .setting }
            if flaw == .kindIsLostBehindOptionals, key == .nextItems || key == .weakItems { return .setting }
            if flaw == .kindIsLostInGetters, key == .same { return .setting }
            if flaw == .copiesPass, key == .sorted { return change }
        }
        return evaluation?.source == place ? change : .setting
    }

    mutating func tellPrior(_ hearers: [Hearer], of place: Place, isByHand: Bool = false) {
        deliver(hearers, .before, of: isByHand ? place : nil, changed: place) { $0.callBefore(hearers) }
    }

    private mutating func callBefore(_ hearers: [Hearer]) {
        for hearer in hearers {
            let observation = hearer.observation
            if !isObserving(observation) { continue }
            if batchDepth > 0, flaw != .batchTellsEachChange {
                let isKnown = pending.contains { $0.first.observation.registration == observation.registration }
                postpone(hearer, isChanged: false)
                if isKnown { continue }
            }
            if !observation.options.contains(.prior) && flaw != .priorOptionIsIgnored || observation.form == .value { continue }
            let isEqual = observation.removesDuplicates && hearer.change == .assignment(hearer.old)
            let mayBeNothing =
                observation.removesDuplicates && (hearer.lookalike == .assignment(hearer.old) || hearer.lookalike?.changesNothing ?? false)
            // What is known to be left out has no prior call either.
            if flaw != .filteredPriorIsKept {
                if isEqual, observation.key.isComparedBefore { continue }
                if observation.removesDuplicates, hearer.change.changesNothing { continue }
            }
            var told = told(hearer, .prior, new: nil)
            if flaw == .priorTellsNew, observation.options.contains(.new) { told.new = hearer.old }
            // Whether it is known through other nodes too, the rules leave open.
            call(observation, told, isCertain: !isEqual && !mayBeNothing, or: alternatives(hearer, .prior, new: nil))
        }
    }

    mutating func tellAfter(_ hearers: [Hearer], _ phase: OpenDelivery.Phase = .after, of place: Place, isByHand: Bool = false) {
        var hearers = hearers.map { withLastValue($0, of: place) }
        evaluate(after: place)
        if batchDepth > 0, flaw != .batchTellsEachChange {
            for hearer in hearers where isObserving(hearer.observation) { postpone(hearer, isChanged: true) }
            return
        }
        if flaw == .lateObserverIsCalled { hearers += late(after: hearers) }
        changes += 1
        let number = changes
        // Handlers may change the values before all observers have been called.
        let withValues = hearers.map { hearer in
            var hearer = hearer
            let evaluation = evaluation(of: hearer.observation)
            if flaw != .newValueIsReadLate { hearer.new = evaluation.value }
            if evaluation.lookalike != place { hearer.lookalike = nil }
            let isPassing = seen(hearer.change, by: hearer.observation, place, evaluation) != .setting
            if !isPassing, flaw != .kindIsKeptAfterPassing { hearer.stopPassing() }
            return hearer
        }
        deliver(hearers, phase, of: isByHand ? place : nil, changed: place) { model in
            for hearer in withValues { model.tellAfter(hearer, number) }
        }
    }

    /// Takes the last value of a derived key as its old value, unless the key's value was the value of the place.
    private func withLastValue(_ hearer: Hearer, of place: Place) -> Hearer {
        guard !isOwn(place, of: hearer.observation), let followed = followed(by: hearer.observation), followed.source != place else {
            return hearer
        }
        var hearer = hearer
        if flaw != .oldIsReadBefore { hearer.old = followed.value }
        return hearer
    }

    /// `true` if the key of an observation is stored, or is announced by hand at a place.
    private func isOwn(_ place: Place, of observation: ModelObservation) -> Bool {
        observation.key.stored != nil || observation.key.computed.map { Place(observation.node, $0) } == place
    }

    /// Who has come since, for a flaw.
    private func late(after hearers: [Hearer]) -> [Hearer] {
        guard let key = hearers.first?.observation.ofKey else { return [] }
        return observations.filter { observation in
            observation.ofKey == key && !hearers.contains { $0.observation.registration == observation.registration }
        }.map { Hearer(observation: $0, old: .none, change: .setting) }
    }

    mutating func tellAfter(_ hearer: Hearer, _ number: Int) {
        let observation = hearer.observation
        guard isObserving(observation) else { return }
        let new = hearer.new ?? evaluation(of: observation).value
        if observation.form == .value || flaw == .changeFormSkipsOvertaken {
            // A newer value has been considered.
            if lastChanges[observation.registration, default: 0] > number, flaw != .overtakenValueIsToldLate { return }
            lastChanges[observation.registration] = number
        }
        if observation.removesDuplicates, flaw != .duplicatesAreKept {
            // Of values, each is compared with the last one that was handed over.
            let last = observation.form == .value ? lastValues[observation.registration] : hearer.lacksOld ? nil : hearer.old
            if last == new { return }
        }
        if observation.form == .value { lastValues[observation.registration] = new }
        var hearer = hearer
        if flaw == .oldValueIsReadLate { hearer.old = new }
        call(observation, told(hearer, .after, new: new), or: alternatives(hearer, .after, new: new))
    }

    /// What a call may tell instead.
    private func alternatives(_ hearer: Hearer, _ phase: Told.Phase, new: Value?) -> [Told] {
        var alternatives: [Told] = []
        if let lookalike = hearer.lookalike {
            var other = hearer
            other.change = lookalike
            alternatives.append(told(other, phase, new: new))
        }
        if hearer.mayLackOld {
            var other = told(hearer, phase, new: new)
            other.old = nil
            alternatives.append(other)
        }
        return alternatives
    }

    private func told(_ hearer: Hearer, _ phase: Told.Phase, new: Value?) -> Told {
        let options = hearer.observation.options
        if hearer.observation.form == .value {
            if flaw == .valueFormGetsElements, case .elements(_, _, _, let part?) = hearer.change { return Told(.value, new: part) }
            return Told(.value, new: new)
        }
        var told = Told(phase)
        switch hearer.change {
        case .setting, .assignment:
            told.old = hearer.old
            told.new = new
        case .elements(let kind, let indexes, let oldPart, let newPart):
            told.kind = kind
            told.indexes = indexes
            told.old = oldPart
            told.new = phase == .prior ? nil : newPart
            if flaw == .elementsAreToldWhole, told.new != nil { told.new = new }
            if flaw == .insertionTellsOld, told.old == nil { told.old = hearer.old }
        }
        if !options.contains(.old) || hearer.lacksOld { told.old = nil }
        if !options.contains(.new) { told.new = nil }
        if flaw == .overrideIsBypassed, hearer.observation.key == .shade, case .int(let double)? = told.new { told.new = .int(double / 2) }
        if flaw == .absentAndNilAreOne {
            if told.old == Value.none { told.old = nil }
            if told.new == Value.none { told.new = nil }
        }
        return told
    }
}
