import Foundation
import KeyValueModel
import Testing

/// Rules 1 to 29 and 47: random programs, run on real objects and on the model.
@MainActor @Suite struct ComparisonTests {
    /// A number from the environment.
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private static let programLength = 60
    /// The number of steps in which each pair of features must take part in the calls of one step.
    private static let longRun = 1_000_000

    @Test("Rules 1-29, 47: what observers hear of random programs is what the model says")
    func realObjectsDoWhatTheModelSays() {
        let steps = Self.number("SAFEKVO_MODEL_STEPS") ?? 100_000
        let seed = UInt64(Self.number("SAFEKVO_MODEL_SEED") ?? 1)
        print("Model: \(steps) steps, SAFEKVO_MODEL_SEED=\(seed)")
        var statistic = Statistic()
        var program = seed
        while statistic.steps < steps {
            if let mismatch = Comparison.run(Generator.program(seed: program, length: Self.programLength), statistic: &statistic) {
                Issue.record("After \(statistic.steps) steps: SAFEKVO_MODEL_SEED=\(program)\n\(Comparison.shrink(mismatch))")
                return
            }
            program += 1
        }
        print("Model: \(statistic.steps) steps in programs of seeds \(seed)..<\(program)\n\(statistic)")
        #expect(statistic.gaps == [])
        #expect(statistic.pairsInNoProgram == [])
        if steps >= Self.longRun { #expect(statistic.pairsInNoStep == []) }
    }
}
