import KeyValueModel

/// Runs programs on real objects and on the model, step by step.
enum Comparison {
    /// Runs a program, and compares after every step.
    static func run(_ program: [Step], flaw: Flaw? = nil, statistic: inout Statistic) -> Mismatch? {
        var model = Model(flaw: flaw)
        let live = LiveProgram()
        defer { live.finish() }
        var keys: [Int: Key] = [:]
        for (index, step) in program.enumerated() {
            live.removed = 0
            model.run(step)
            for observation in model.observations { keys[observation.id] = observation.key }
            live.decisions = model.decisions
            live.run(step)
            var features = live.listener.takeFeatures()
            features.formUnion(Features(step))
            if model.settings > 0 { features.insert(.settingHandler) }
            let expected = model.takeCalls()
            let heard = live.takeCalls()
            statistic.count(step, wasHeard: !heard.isEmpty, removed: live.removed, features: features)
            if !agree(heard, expected) {
                // From here on the two may do different things.
                if isUndecided(step, heard, expected, keys) {
                    statistic.countUndecided()
                    return nil
                }
                return Mismatch(program: Array(program[...index]), heard: heard, expected: expected, remark: nil)
            }
        }
        statistic.countProgram()
        if live.state == model.nodes { return nil }
        return Mismatch(program: program, heard: [], expected: [], remark: "The objects differ:\n  \(live.state)\n  \(model.nodes)")
    }

    /// `true` if all that was heard differently is of key paths with a hop of which only the type is known: an announcement by hand of
    /// another key of that type counts as one of the hop, and is told.
    private static func isUndecided(_ step: Step, _ heard: [Call], _ expected: [Call], _ keys: [Int: Key]) -> Bool {
        let announced = step.announced
        if announced.isEmpty { return false }
        // Whose handler was called too often may have added others, which the model does not know.
        let hidden = Set((heard + expected).map(\.observation).filter { keys[$0].map { $0.hiddenHops != nil } ?? true })
        if hidden.isEmpty || hidden.allSatisfy({ keys[$0] == nil }) { return false }
        if !agree(heard.filter { !hidden.contains($0.observation) }, expected.filter { !hidden.contains($0.observation) }) { return false }
        return hidden.allSatisfy { id in
            let (heard, expected) = (heard.filter { $0.observation == id }, expected.filter { $0.observation == id })
            // What changes inside the announcement is part of it, so that there may also be fewer calls.
            return !heard.isEmpty && !(keys[id]?.hiddenHops?.isSuperset(of: announced) ?? false)
                || agree(heard, expected)
        }
    }

    /// Whether two histories are the same where their order is decided.
    static func agree(_ heard: [Call], _ expected: [Call]) -> Bool {
        if heard == expected { return true }
        return Set(heard.map(\.sequence) + expected.map(\.sequence)).allSatisfy { sequence in
            agreeInOrder(heard.filter { $0.sequence == sequence }, expected.filter { $0.sequence == sequence })
        }
    }

    private static func agreeInOrder(_ heard: [Call], _ expected: [Call]) -> Bool { agreeInOrder(heard[...], expected[...]) }

    private static func agreeInOrder(_ heard: ArraySlice<Call>, _ expected: ArraySlice<Call>) -> Bool {
        var (heard, expected) = (heard, expected)
        while let call = expected.popFirst() {
            // Another call that looks the same may be a certain one.
            if !call.isCertain, agreeInOrder(heard, expected) { return true }
            guard let first = heard.popFirst(), first.observation == call.observation, first.told == call.told else { return false }
        }
        return heard.isEmpty
    }

    /// The program with every step left out that is not needed for a mismatch.
    static func shrink(_ mismatch: Mismatch, flaw: Flaw? = nil) -> Mismatch {
        var best = mismatch
        var shrunk = true
        while shrunk {
            shrunk = false
            for candidate in smaller(than: best.program).lazy where candidate.allSatisfy({ $0.isAllowed(within: []) }) {
                var statistic = Statistic()
                guard let found = run(candidate, flaw: flaw, statistic: &statistic), found.isLike(mismatch) else { continue }
                best = found
                shrunk = true
                break
            }
        }
        return best
    }

    /// The programs with one step fewer, or with a step replaced by those inside it.
    private static func smaller(than program: [Step]) -> [[Step]] {
        var programs: [[Step]] = []
        for index in program.indices {
            var without = program
            let step = without.remove(at: index)
            programs.append(without)
            if step.body.isEmpty { continue }
            programs.append(Array(program[..<index]) + step.body + Array(program[(index + 1)...]))
            for body in smaller(than: step.body) {
                var changed = program
                changed[index] = step.with(body: body)
                programs.append(changed)
            }
        }
        return programs
    }
}

extension Step {
    /// What is announced by hand.
    fileprivate var announced: Set<Property> {
        let inside = body.reduce(into: Set<Property>()) { $0.formUnion($1.announced) }
        return switch self {
        case .announce(let place, _), .pair(let place, _): inside.union([place.property])
        case .announceItems: inside.union([.items])
        case .announceSet: inside.union([.set])
        default: inside
        }
    }

    /// `true` unless a reference in plain storage is replaced outside a manual notification of it, which the rules call a mistake of the program.
    fileprivate func isAllowed(within enclosing: [Place]) -> Bool {
        switch self {
        case .assign(let assignment):
            return !assignment.place.property.isSilent || !assignment.place.property.decidesDependencies
                || enclosing.contains(assignment.place)
        case .announce(let place, let body), .pair(let place, let body):
            return body.allSatisfy { $0.isAllowed(within: enclosing + [place]) }
        default: return body.allSatisfy { $0.isAllowed(within: enclosing) }
        }
    }
}
