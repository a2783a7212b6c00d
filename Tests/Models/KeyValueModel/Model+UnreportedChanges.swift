/// The steps that the rules decide although something has changed that nobody reported.
///
/// Until its next evaluation, a key depends on what it has read before. The rules do not say everything about the next evaluation: a registration
/// may cause it, and who depends on an announced property only at one end of the announcement may be told or not.
extension Model {
    /// The observed keys whose next evaluation will read something else than the last one.
    private var outdated: Set<Call.Sequence> {
        Set(observations.filter { followed(by: $0)?.reads != evaluation(of: $0).reads }.map(\.ofKey))
    }

    /// `true` if an observed key does not depend on what its getter would read now.
    package var isOutdated: Bool { !outdated.isEmpty }

    /// `true` if the rules say what observers hear of a step.
    package func decides(_ step: Step) -> Bool {
        let outdated = outdated
        return outdated.isEmpty || step.isDecided(for: outdated)
    }
}

extension Step {
    fileprivate func isDecided(for outdated: Set<Call.Sequence>) -> Bool {
        switch self {
        case .observe(let observation): !outdated.contains(observation.ofKey)
        case .batch(let body): body.allSatisfy { $0.isDecided(for: outdated) }
        case .announce(let place, let body), .pair(let place, let body): body.allSatisfy { $0.concernsOnly(place) }
        default: true
        }
    }

    /// `true` if the step changes nothing that is observed but a place.
    private func concernsOnly(_ place: Place) -> Bool {
        switch self {
        case .assign(let assignment): assignment.place == place
        case .changeInPlace(let change): change.place == place
        case .editItems(let node, .own, _): Place(node, .items) == place
        case .editSet(let node, .own, _): Place(node, .set) == place
        case .editTags(let node, _): Place(node, .tags) == place
        case .foreign: true
        case .announce(let inner, let body), .pair(let inner, let body): inner == place && body.allSatisfy { $0.concernsOnly(place) }
        default: false
        }
    }
}
