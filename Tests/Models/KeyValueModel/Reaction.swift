/// What the handler of an observation does besides listening, in one of the two phases.
package indirect enum Reaction: Sendable {
    case none
    case removesItself(inPriorPhase: Bool)
    /// Removes another observation of the same key, which may be waiting for its call.
    case removes(Int, inPriorPhase: Bool)
    /// Adds another observation of the same key, once.
    case adds(ModelObservation, inPriorPhase: Bool)
    /// Sets a property, where the model allows it.
    case sets(Assignment, inPriorPhase: Bool)

    /// Whether it is to happen in a call of this phase.
    package func isDue(in phase: Told.Phase) -> Bool {
        switch self {
        case .none: false
        case .removesItself(let inPriorPhase), .removes(_, let inPriorPhase), .adds(_, let inPriorPhase), .sets(_, let inPriorPhase):
            phase == .prior ? inPriorPhase : phase != .initial && !inPriorPhase
        }
    }

    /// `true` if it is one for handlers of values too.
    var isForValues: Bool {
        if case .sets(_, inPriorPhase: false) = self { return true }
        return false
    }
}

extension Reaction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .none: ""
        case .removesItself(let inPriorPhase): ", removes itself\(inPriorPhase ? " in its prior call" : "")"
        case .removes(let other, let inPriorPhase): ", removes o\(other)\(inPriorPhase ? " in its prior call" : "")"
        case .adds(let other, let inPriorPhase): ", adds (\(other))\(inPriorPhase ? " in its prior call" : "")"
        case .sets(let assignment, let inPriorPhase): ", sets \(assignment)\(inPriorPhase ? " in its prior call" : "")"
        }
    }
}
