import Foundation
import LifetimeModel
import TestSupport
import Testing

/// Rules 30 to 36: random programs, watched by a model.
@Suite struct ProgramTests {
    private static let programLength = 800
    private static let floor = 1000

    /// A number from the environment.
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("Rules 8 to 11, 14, 30 to 39, 47 to 49: what random programs do is what the model allows")
    func randomProgramsDoWhatTheModelAllows() {
        let operations = Self.number("SAFEKVO_LIFETIME_OPERATIONS") ?? 1_000_000
        let seed = UInt64(Self.number("SAFEKVO_LIFETIME_SEED") ?? 1)
        print("Lifetimes: \(operations) operations, SAFEKVO_LIFETIME_SEED=\(seed)")
        var histogram = Histogram()
        var program = seed
        while histogram.total < operations {
            if let (objection, failed) = ProgramRun<LiveThing>.objection(to: Self.program(seed: program), histogram: &histogram) {
                let (smallest, rest) = ProgramRun<LiveThing>.shrink(objection, failed)
                Figures.shared.fail("SAFEKVO_LIFETIME_SEED=\(program)\n\(ProgramRun<LiveThing>.description(smallest, rest))")
                return
            }
            program += 1
        }
        print("Lifetimes: \(histogram.total) operations in programs of seeds \(seed)..<\(program)\n\(histogram)")
        Figures.shared.add(operations: histogram.total)
        #expect(histogram.gaps(below: min(Self.floor, operations / Self.floor)) == [])
    }

    @Test("What the fuzzer has kept of its programs does what the model allows")
    func programsOfTheFuzzerDoWhatTheModelAllows() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Programs/Fuzzing/Corpus")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        var histogram = Histogram()
        for file in files {
            let program = try Program(bytes: Array(Data(contentsOf: file)))
            guard let (objection, failed) = ProgramRun<LiveThing>.objection(to: program, histogram: &histogram, checksAlways: true) else {
                continue
            }
            Figures.shared.fail("\(file.lastPathComponent)\n\(ProgramRun<LiveThing>.description(objection, failed))")
        }
        Figures.shared.add(operations: histogram.total)
    }

    private static func program(seed: UInt64) -> Program {
        var random = SeededGenerator(seed: seed)
        return Program(bytes: (0..<programLength).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) })
    }
}
