extension Model {
    mutating func batch(_ body: [Step]) {
        batchDepth += 1
        run(body)
        batchDepth -= 1
        guard batchDepth == 0 || flaw == .batchEndsAtTheInnerEnd else { return }
        let depth = batchDepth
        batchDepth = 0
        isAtEndOfBatch = true
        defer {
            isAtEndOfBatch = false
            batchDepth = depth
        }
        let (told, olds) = (pending, firstOlds)
        (pending, firstOlds) = ([], [:])
        let order = observations.map(\.registration)
        let ofRegistrations = order.compactMap { registration in told.first { $0.first.observation.registration == registration } }
        let inOrder = entireLast(ofRegistrations, \.first.observation)
        let hearers = inOrder.filter(\.isChanged).map(\.first)
        deliver(hearers, .endOfBatch) { $0.tell(inOrder, olds) }
    }

    /// Tells each observation one setting, of the values before the first change and after the last one.
    private mutating func tell(_ inOrder: [Pending], _ olds: [Call.Sequence: Value?]) {
        for pending in flaw == .batchOrderIsReversed ? inOrder.reversed() : inOrder where pending.isChanged {
            let observation = pending.first.observation
            let old = olds[observation.ofKey] ?? nil
            var hearer = Hearer(observation: observation, old: old ?? .none, change: .setting)
            if flaw == .batchKeepsKind { hearer.change = pending.first.change }
            if flaw == .batchTellsLastOld { hearer.old = pending.first.old }
            hearer.lacksOld = old == nil && flaw != .batchTellsOldToAll
            changes += 1
            tellAfter(hearer, changes)
        }
    }

    /// Notes a change in a batch, which has begun, or has ended if `isChanged` is `true`.
    mutating func postpone(_ hearer: Hearer, isChanged: Bool) {
        let observation = hearer.observation
        if firstOlds[observation.ofKey] == nil {
            let isAsked = observations.contains { $0.ofKey == observation.ofKey && $0.asksForOld }
            firstOlds[observation.ofKey] = .some(isAsked ? hearer.old : nil)
        }
        guard let known = pending.firstIndex(where: { $0.first.observation.registration == observation.registration }) else {
            pending.append(Pending(first: hearer, isChanged: isChanged))
            return
        }
        if flaw == .batchTellsLastOld { pending[known].first.old = hearer.old }
        if isChanged { pending[known].isChanged = true }
    }
}
