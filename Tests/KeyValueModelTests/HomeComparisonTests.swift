import Foundation
import Testing

/// Rule 40: random programs of the main actor and another thread, whose calls are judged by the rules of home.
@MainActor @Suite struct HomeComparisonTests {
    @Test("Rule 40: what is changed elsewhere comes home in random programs, with pauses, batches, removals and the end of observers")
    func valuesComeHomeInRandomPrograms() async {
        let environment = ProcessInfo.processInfo.environment
        let steps = environment["SAFEKVO_MODEL_STEPS"].flatMap { Int($0) } ?? 40_000
        let first = environment["SAFEKVO_MODEL_SEED"].flatMap { UInt64($0) } ?? 1
        print("Home: \(steps) steps, SAFEKVO_MODEL_SEED=\(first)")
        for program in 0..<(steps / 40) {
            let seed = first + UInt64(program)
            if let violation = await HomeProgram(seed: seed).run(steps: 40) {
                Issue.record("SAFEKVO_MODEL_SEED=\(seed)\n\(violation)")
                return
            }
        }
    }
}
