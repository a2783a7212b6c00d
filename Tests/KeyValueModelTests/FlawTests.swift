import KeyValueModel
import Testing

/// What shows that the comparison can fail: models that are wrong on purpose.
@MainActor @Suite struct FlawTests {
    private static let limit = 100_000

    /// Compares with a wrong model until it is found out.
    private func find(_ flaw: Flaw) -> (mismatch: Mismatch?, steps: Int) {
        var statistic = Statistic()
        var seed: UInt64 = 1
        while statistic.steps < Self.limit {
            let program = Generator.program(seed: seed, length: 60)
            if let mismatch = Comparison.run(program, flaw: flaw, statistic: &statistic) { return (mismatch, statistic.steps) }
            seed += 1
        }
        return (nil, statistic.steps)
    }

    @Test("A wrong model is found out", arguments: Flaw.allCases)
    func aWrongModelIsFoundOut(flaw: Flaw) {
        let (mismatch, steps) = find(flaw)
        print("Model: \(flaw) found out after \(steps) steps")
        #expect(mismatch != nil, "\(flaw) was not found out in \(steps) steps")
    }

    @Test(
        "A mismatch shrinks to the steps that it takes",
        arguments: [(Flaw.duplicatesAreKept, 3), (.kindIsLost, 4), (.batchTellsEachChange, 2)])
    func aMismatchShrinks(flaw: Flaw, steps: Int) throws {
        let mismatch = try #require(find(flaw).mismatch)
        let shrunk = Comparison.shrink(mismatch, flaw: flaw)
        #expect(shrunk.program.count <= steps, "\(shrunk)")
        #expect(shrunk.program.count < mismatch.program.count)
    }
}
