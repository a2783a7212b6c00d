import Foundation
import KeyValueModel
import Testing

@Suite struct HuntTests {
    @Test func hunt() {
        var statistic = Statistic()
        let environment = ProcessInfo.processInfo.environment
        let first = Int(environment["HUNT_SEED"] ?? "1") ?? 1
        let count = Int(environment["HUNT"] ?? "300") ?? 300
        var found = 0
        for seed in first..<first + count {
            let program = Generator.program(seed: UInt64(seed), length: 60)
            if let mismatch = Comparison.run(program, statistic: &statistic) {
                found += 1
                if found <= 12 { print("seed \(seed)\n\(Comparison.shrink(mismatch))\n") }
            }
        }
        print("found \(found) of \(count)")
    }
}
