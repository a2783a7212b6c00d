import EnduranceKit
import Foundation
import Synchronization

/// Measures whether time and memory are linear up to a million observations, and whether the end of long chains needs no stack.
@main enum Millions {
    static let usage = """
        usage: millions [--limit N] [--only TEXT]
          --limit N     no trial has more objects than this
          --only TEXT   only trials whose names contain the text

        """

    static func main() {
        var limit = Int.max
        var only = ""
        var words = CommandLine.arguments.dropFirst().makeIterator()
        while let word = words.next() {
            let value = words.next()
            if word == "--limit", let number = value.flatMap({ Int($0) }), number >= 100 {
                limit = number
            } else if word == "--only", let value {
                only = value
            } else {
                FileHandle.standardError.write(Data(usage.utf8))
                exit(64)
            }
        }
        Resources.printLines()
        var problems: [String] = []
        for trial in Trial.all + Trial.chains where only.isEmpty || trial.name.contains(only) {
            problems += run(trial, limit: limit)
        }
        for trial in Trial.chains where only.isEmpty || trial.name.contains(only) {
            problems += runOnSmallStack(trial, count: min(limit, trial.greatest))
        }
        if only.isEmpty || "dead observers".contains(only) { DeadObservers.measure(count: min(limit, 10_000)) }
        print("\n\(Int(Resources.processorTime)) s of processor time, \(problems.count) problems")
        for problem in problems { print("  \(problem)") }
        exit(problems.isEmpty ? 0 : 1)
    }

    private static func run(_ trial: Trial, limit: Int) -> [String] {
        var columns: [[Trial.Figure]] = []
        var mistakes: [String] = []
        for count in trial.counts(upTo: limit) {
            var steps = Steps(count: count)
            // Otherwise malloc would sort the blocks that the trial before has freed, in the time of this one.
            Resources.trim()
            trial.run(count, &steps)
            columns.append(steps.figures)
            mistakes += steps.mistakes.map { "\(trial.name): \($0)" }
        }
        return mistakes + Table(name: trial.name, columns: columns).print()
    }

    /// Runs a trial on a thread with a stack of 512 kB; a stack that is too small ends the process.
    private static func runOnSmallStack(_ trial: Trial, count: Int) -> [String] {
        print("\(trial.name), \(count) objects on a stack of 512 kB: ", terminator: "")
        let mistakes = Mutex<[String]>([])
        let isRun = SmallStack.run(bytes: 512 << 10) {
            var steps = Steps(count: count)
            trial.run(count, &steps)
            let found = steps.mistakes
            mistakes.withLock { $0 = found }
        }
        let found = mistakes.withLock { $0 }
        print(isRun && found.isEmpty ? "ended" : "FAILED")
        return found + (isRun ? [] : ["\(trial.name): no thread with a small stack"])
    }
}
