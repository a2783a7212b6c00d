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
        let told = pending
        pending = []
        let order = observations.map(\.registration)
        let ofRegistrations = order.compactMap { registration in told.first { $0.first.observation.registration == registration } }
        let inOrder = entireLast(ofRegistrations, \.first.observation)
        let hearers = inOrder.filter { $0.changes > 0 }.map(\.first)
        deliver(hearers, .endOfBatch) { $0.tell(inOrder) }
    }

    private mutating func tell(_ inOrder: [Pending]) {
        for pending in flaw == .batchOrderIsReversed ? inOrder.reversed() : inOrder where pending.changes > 0 {
            var hearer = pending.first
            if pending.changes > 1 || !hearer.observation.key.isPlainChain, flaw != .batchKeepsKind {
                hearer = Hearer(observation: hearer.observation, old: hearer.old, change: .setting)
            }
            changes += 1
            tellAfter(hearer, changes)
        }
    }
}
