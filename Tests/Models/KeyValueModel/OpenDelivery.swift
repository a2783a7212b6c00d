/// A delivery that is under way: the observers of which keys it calls, of which one is being called.
struct OpenDelivery {
    enum Phase {
        case before, after, endOfBatch
    }

    /// The observations that hear of it, with what their keys depended on before.
    let hearers: [(observation: ModelObservation, reads: Places)]
    let phase: Phase
    /// The place of a manual notification, whose value others may use without being seen.
    let place: Place?
    /// The place that changes; nil at the end of a batch.
    let changed: Place?
    /// The key whose observer is being called.
    var current: Call.Sequence?
    /// The key whose observers set properties in it: between keys the order of calls is not decided.
    var setting: Call.Sequence?
}

extension Model {
    private static let deepestSetting = 3
    private static let mostSettings = 8

    /// `true` if a handler may make an assignment now, so that the rules say what everybody hears.
    ///
    /// The order of calls is decided among the observers of one key only. If the delivery under way has still to call observers of another key, the
    /// assignment must not concern these. Before a change and at the end of a batch it must not concern those of the same key either.
    func maySet(_ assignment: Assignment) -> Bool {
        let place = assignment.place
        if settingDepth >= Self.deepestSetting || settings >= Self.mostSettings { return false }
        // The rules do not say whether who comes to depend on a node within a manual notification of it hears of the end.
        if place.property.decidesDependencies, manualDepth > 0 || batchDepth > 0 { return false }
        // Nor whether who comes to depend on what is about to change hears of that.
        if place.property.decidesDependencies, deliveries.contains(where: { $0.phase == .before }) { return false }
        guard let last = deliveries.last, last.setting == nil || last.setting == last.current else { return false }
        return deliveries.allSatisfy { delivery in
            let isDecided = delivery.hearers.allSatisfy { hearer in
                if delivery.phase == .after, hearer.observation.ofKey == delivery.current { return true }
                return !hearer.reads.contains(place) && !concerns(place, hearer.observation)
            }
            // Who has registered since the beginning hears nothing, and yet depends on something else from now on.
            if let changed = delivery.changed,
                observations.contains(where: { $0.ofKey != delivery.current && concerns(changed, $0) && concerns(place, $0) })
            {
                return false
            }
            return isDecided
        }
    }

    /// `true` if the key of an observation depends on a place, or will after its next evaluation.
    private func concerns(_ place: Place, _ observation: ModelObservation) -> Bool {
        if let followed = followed(by: observation), followed.reads.contains(place) { return true }
        return evaluation(of: observation).reads.contains(place)
    }

    /// Makes an assignment in a handler: a change of its own, before the delivery goes on.
    mutating func set(_ assignment: Assignment, _ observation: ModelObservation) {
        let isAllowed = maySet(assignment)
        decisions[observation.id, default: []].append(isAllowed)
        guard isAllowed else { return }
        deliveries[deliveries.count - 1].setting = observation.ofKey
        settings += 1
        settingDepth += 1
        let wasAtEndOfBatch = isAtEndOfBatch
        isAtEndOfBatch = false
        assign(assignment)
        isAtEndOfBatch = wasAtEndOfBatch
        settingDepth -= 1
    }

    /// Runs something as a part of a delivery.
    mutating func deliver(
        _ hearers: [Hearer], _ phase: OpenDelivery.Phase, of place: Place? = nil, changed: Place? = nil, _ body: (inout Model) -> Void
    ) {
        deliveries.append(OpenDelivery(hearers: hearers.map { ($0.observation, $0.reads) }, phase: phase, place: place, changed: changed))
        body(&self)
        deliveries.removeLast()
    }
}
