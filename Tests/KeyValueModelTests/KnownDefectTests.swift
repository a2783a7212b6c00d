import KeyValueModel
import Testing

/// What is known to be wrong, so that it is seen when it is right.
@Suite struct KnownDefectTests {
    @Test("A known defect is still there; if not, take its case away", arguments: KnownDefect.allCases)
    func aKnownDefectIsStillThere(defect: KnownDefect) {
        withKnownIssue {
            var statistic = Statistic()
            if let mismatch = Comparison.run(defect.program, statistic: &statistic) { Issue.record("\(mismatch)") }
        }
    }
}
