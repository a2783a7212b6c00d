import LifetimeModel
import SafeKVO

/// Those that failed are not cleaned up: they may have failed because that cannot be done.
private let failedPrograms = Shared<[AnyObject]>([])

/// Runs programs on objects of a class, and makes those that fail smaller.
enum ProgramRun<Thing: ProgramThing> {
    /// Runs a program; what was wrong with it, and the part of it that was run.
    static func objection(to program: Program, histogram: inout Histogram, checksAlways: Bool = false) -> (String, Program)? {
        let live = LiveProgram<Thing>(checksAlways: checksAlways)
        let failure = live.run(program)
        histogram.add(live.model.histogram)
        guard let failure else { return nil }
        failedPrograms.with { $0.append(live) }
        let run = Program(operations: Array(program.operations.prefix(failure.index + 1)), ending: program.ending)
        return (failure.objection, run)
    }

    /// The program with every operation left out that is not needed for the same objection.
    static func shrink(_ objection: String, _ program: Program) -> (String, Program) {
        var best = (objection, program)
        var histogram = Histogram()
        if let sooner = self.objection(to: program, histogram: &histogram, checksAlways: true), isLike(sooner.0, objection) {
            best = sooner
        }
        var shrunk = true
        while shrunk {
            shrunk = false
            for operations in smaller(than: best.1.operations) {
                let candidate = Program(operations: operations, ending: best.1.ending)
                guard let found = self.objection(to: candidate, histogram: &histogram, checksAlways: true), isLike(found.0, objection)
                else { continue }
                best = found
                shrunk = true
                break
            }
        }
        return best
    }

    /// Whether two objections differ in numbers only.
    private static func isLike(_ one: String, _ other: String) -> Bool {
        one.filter { !$0.isNumber } == other.filter { !$0.isNumber }
    }

    /// The programs with one operation fewer, or with one replaced by what is inside.
    private static func smaller(than operations: [Operation]) -> [[Operation]] {
        var programs: [[Operation]] = []
        for index in operations.indices {
            var without = operations
            let operation = without.remove(at: index)
            programs.append(without)
            if operation.body.isEmpty { continue }
            programs.append(Array(operations[..<index]) + operation.body + Array(operations[(index + 1)...]))
            for body in smaller(than: operation.body) {
                var changed = operations
                changed[index] = operation.with(body: body)
                programs.append(changed)
            }
        }
        return programs
    }

    /// A failure for people.
    static func description(_ objection: String, _ program: Program) -> String {
        let lines = program.operations.enumerated().map { "  \($0 + 1). \($1)" }
        return ([objection] + lines + ["  and then the end, in the order \(program.ending)"]).joined(separator: "\n")
    }
}
