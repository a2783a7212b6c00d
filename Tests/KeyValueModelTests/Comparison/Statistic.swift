import KeyValueModel

/// How often each sort of step was run, and how often it was heard.
struct Statistic {
    private(set) var steps = 0
    private var counts = Array(repeating: (run: 0, heard: 0), count: Step.Sort.allCases.count)
    private static let index = Dictionary(uniqueKeysWithValues: Step.Sort.allCases.enumerated().map { ($1, $0) })

    /// Counts a step of a program, and the steps inside it as run.
    mutating func count(_ step: Step, wasHeard: Bool, removed: Int) {
        let sort = step.sort
        guard let index = Self.index[sort] else { return }
        steps += 1
        counts[index].run += 1
        let counts = sort.isRemoval ? removed > 0 : wasHeard
        if counts { self.counts[index].heard += 1 }
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
}

extension Statistic: CustomStringConvertible {
    var description: String {
        zip(Step.Sort.allCases, counts).map { sort, count in
            "  \(sort): \(count.run), \(sort.isRemoval ? "removing" : "heard") \(count.heard)"
        }.joined(separator: "\n")
    }
}
