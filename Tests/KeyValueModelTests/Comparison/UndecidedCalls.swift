import KeyValueModel

/// The calls of a step that the rules leave open: of a key path of which only the types of some components are known.
///
/// An announcement by hand of another key of such a type counts as one of the component. So there may be one call more for each announcement. What changes
/// inside that announcement is part of it, so that there may also be fewer calls, but none that leaves the observer without the last value.
struct UndecidedCalls {
    /// The observations, by number.
    private let observations: [Int: ModelObservation]
    /// The number of announcements by hand.
    private let announcements: Int

    init(of step: Step, _ observations: [ModelObservation]) {
        let announced = step.announced
        let properties = Set(announced)
        let undecided = observations.filter { !$0.key.undecidedHops.isDisjoint(with: properties) }
        self.observations = Dictionary(undecided.map { ($0.id, $0) }) { $1 }
        announcements = announced.count
    }

    /// Compares two histories, except the calls that are left open.
    ///
    /// - Parameters:
    ///   - heard: What was heard.
    ///   - expected: What the model says.
    ///   - observing: The numbers of the observations that there are after the step.
    /// - Returns: whether they are.
    func agree(_ heard: [Call], _ expected: [Call], stillObserving observing: Set<Int>) -> Bool {
        if observations.isEmpty { return false }
        let isDecided = { (call: Call) in observations[call.observation] == nil }
        guard Comparison.agree(heard.filter(isDecided), expected.filter(isDecided)) else { return false }
        return observations.values.allSatisfy { observation in
            let isOfThis = { (call: Call) in call.observation == observation.id }
            let (heard, expected) = (heard.filter(isOfThis), expected.filter(isOfThis))
            if Comparison.agree(heard, expected) { return true }
            let (ends, expectedEnds) = (heard.filter(\.isOfEnd), expected.filter(\.isOfEnd))
            if ends.count > expectedEnds.count + announcements { return false }
            // An observer that is removed before the end of the announcement is not told of it. A value may come back to what was told last.
            if !observing.contains(observation.id) || expectedEnds.isEmpty || observation.removesDuplicates && ends.isEmpty { return true }
            if ends.isEmpty { return false }
            return observation.form == .change || ends.last?.told.new == expectedEnds.last?.told.new
        }
    }

    /// Lets a model know what the observers have been handed.
    func takeOver(_ heard: [Call], into model: inout Model) {
        for observation in model.observations where observations[observation.id] != nil && observation.form == .value {
            if let value = heard.last(where: { $0.observation == observation.id })?.told.new { model.takeOver(value, of: observation) }
        }
    }
}

extension Call {
    /// `true` if it tells that something has changed.
    fileprivate var isOfEnd: Bool { told.phase == .after || told.phase == .value }
}

extension Step {
    /// The properties that are announced by hand, once for each announcement.
    fileprivate var announced: [Property] {
        let inside = body.flatMap(\.announced)
        return switch self {
        case .announce(let place, _), .pair(let place, _): inside + [place.property]
        case .announceItems: inside + [.items]
        case .announceSet: inside + [.set]
        default: inside
        }
    }
}
