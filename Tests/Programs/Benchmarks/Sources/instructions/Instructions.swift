import BenchmarkKit
import Foundation
import LimitBenchmarks
import SafeKVOBenchmarks

/// Runs each row that can be repeated a few times between marks, for callgrind to count its instructions: see `.ci/instructions`.
@main
enum Instructions {
    static func main() {
        Runner.keepSecondThread()
        for benchmark in LimitSuite.benchmarks + SafeKVOSuite.benchmarks { benchmark.countInstructions(InstructionMarks()) }
    }
}
