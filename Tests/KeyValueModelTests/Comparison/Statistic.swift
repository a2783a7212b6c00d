import KeyValueModel

/// How often each sort of step was run, how often it was heard, and which features met.
struct Statistic {
    private(set) var steps = 0
    private(set) var programs = 0
    /// The number of steps that began while a key did not depend on what its getter would read, and how many of them were heard.
    private var outdated = (run: 0, heard: 0)
    private var counts = Array(repeating: (run: 0, heard: 0), count: Step.Sort.allCases.count)
    private static let index = Dictionary(uniqueKeysWithValues: Step.Sort.allCases.enumerated().map { ($1, $0) })
    /// How many steps and how many programs had calls in which both features of a pair took part.
    private var meetings: [(steps: Int, programs: Int)] = Array(repeating: (0, 0), count: Statistic.pairs.count)
    /// The features that took part in the calls of the program so far.
    private var ofProgram = Features()

    private static let pairs: [(first: Feature, second: Feature)] = Feature.allCases.flatMap { first in
        Feature.allCases.filter { $0.rawValue > first.rawValue }.map { (first: first, second: $0) }
    }

    /// Counts a step of a program, and the steps inside it as run.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - wasHeard: `true` if an observer was called.
    ///   - removed: The number of observations that it removed.
    ///   - isOutdated: `true` if a key did not depend on what its getter would read.
    ///   - features: The features that took part in the calls.
    mutating func count(_ step: Step, wasHeard: Bool, removed: Int, isOutdated: Bool, features: Features) {
        let sort = step.sort
        guard let index = Self.index[sort] else { return }
        steps += 1
        counts[index].run += 1
        if isOutdated { outdated = (outdated.run + 1, outdated.heard + (wasHeard ? 1 : 0)) }
        let counts = sort.isRemoval ? removed > 0 : wasHeard
        if counts { self.counts[index].heard += 1 }
        if !wasHeard || features.isEmpty { return }
        for (index, pair) in Self.pairs.enumerated() where features.contains(pair.first) && features.contains(pair.second) {
            meetings[index].steps += 1
        }
        ofProgram.formUnion(features)
    }

    /// Counts the end of a program.
    mutating func countProgram() {
        programs += 1
        for (index, pair) in Self.pairs.enumerated() where ofProgram.contains(pair.first) && ofProgram.contains(pair.second) {
            meetings[index].programs += 1
        }
        ofProgram = Features()
    }

    /// The sorts that never occurred, were never heard, or were heard though nobody can hear them.
    var gaps: [String] {
        zip(Step.Sort.allCases, counts).compactMap { sort, count in
            if count.run == 0 { return "\(sort) never occurred" }
            if count.heard == 0, !sort.isSilent { return "\(sort) was never heard" }
            if count.heard == 0, sort.isRemoval { return "\(sort) never removed anything" }
            if count.heard > 0, sort.isSilent, !sort.isRemoval { return "\(sort) was heard" }
            return nil
        }
    }

    /// The pairs of features that never took part in the calls of one program.
    var pairsInNoProgram: [String] { pairs { $0.programs == 0 } }

    /// The pairs of features that never took part in the calls of one step.
    var pairsInNoStep: [String] { pairs { $0.steps == 0 } }

    private func pairs(where isGap: ((steps: Int, programs: Int)) -> Bool) -> [String] {
        zip(Self.pairs, meetings).compactMap { pair, count in isGap(count) ? "\(pair.first) and \(pair.second)" : nil }
    }
}

extension Statistic: CustomStringConvertible {
    var description: String {
        var lines = zip(Step.Sort.allCases, counts).map { sort, count in
            "  \(sort): \(count.run), \(sort.isRemoval ? "removing" : "heard") \(count.heard)"
        }
        lines.append("Pairs of features in the calls of one step (of one program):")
        for (pair, count) in zip(Self.pairs, meetings) {
            lines.append("  \(pair.first) and \(pair.second): \(count.steps) (\(count.programs))")
        }
        lines.append("\(programs) programs; \(outdated.run) steps after a change that nobody reported, heard \(outdated.heard)")
        return lines.joined(separator: "\n")
    }
}
