import KeyValueModel

/// Runs programs on real objects and on the model, step by step.
@MainActor enum Comparison {
    /// Runs a program, and compares after every step.
    static func run(_ program: [Step], flaw: Flaw? = nil, statistic: inout Statistic) -> Mismatch? {
        var model = Model(flaw: flaw)
        let live = LiveProgram()
        defer { live.finish() }
        for (index, step) in program.enumerated() {
            if !model.decides(step) { continue }
            live.removed = 0
            let isOutdated = model.isOutdated
            model.run(step)
            live.decisions = model.decisions
            live.run(step)
            var features = live.listener.takeFeatures()
            features.formUnion(Features(step))
            if model.settings > 0 { features.insert(.settingHandler) }
            let expected = model.takeCalls()
            let heard = live.takeCalls()
            statistic.count(step, wasHeard: !heard.isEmpty, removed: live.removed, isOutdated: isOutdated, features: features)
            if agree(heard, expected) { continue }
            return Mismatch(program: Array(program[...index]), heard: heard, expected: expected, remark: nil)
        }
        statistic.countProgram()
        if live.state == model.nodes { return nil }
        return Mismatch(program: program, heard: [], expected: [], remark: "The objects differ:\n  \(live.state)\n  \(model.nodes)")
    }

    /// Whether two histories are the same where their order is decided.
    static func agree(_ heard: [Call], _ expected: [Call]) -> Bool {
        if heard == expected { return true }
        return Set(heard.map(\.sequence) + expected.map(\.sequence)).allSatisfy { sequence in
            let last = sequence.last
            let isMeant = { (call: Call) in call.sequence == sequence || call.sequence == last }
            return agreeInOrder(heard.filter(isMeant), expected.filter(isMeant))
        }
    }

    private static func agreeInOrder(_ heard: [Call], _ expected: [Call]) -> Bool { agreeInOrder(heard[...], expected[...]) }

    private static func agreeInOrder(_ heard: ArraySlice<Call>, _ expected: ArraySlice<Call>) -> Bool {
        var (heard, expected) = (heard, expected)
        while let call = expected.popFirst() {
            // Another call that looks the same may be a certain one.
            if !call.isCertain, agreeInOrder(heard, expected) { return true }
            guard let first = heard.popFirst(), call.admits(first) else { return false }
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
    /// `true` unless a reference whose getter calls `access(_:)` is replaced outside a manual notification of it, which is a mistake of the program.
    fileprivate func isAllowed(within enclosing: [Place]) -> Bool {
        switch self {
        case .assign(let assignment):
            return assignment.place.property != .accessed || enclosing.contains(assignment.place)
        case .announce(let place, let body), .pair(let place, let body):
            return body.allSatisfy { $0.isAllowed(within: enclosing + [place]) }
        default: return body.allSatisfy { $0.isAllowed(within: enclosing) }
        }
    }
}
