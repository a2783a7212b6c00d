import CocoaDouble
import Foundation
import LifetimeModel
import TestSupport
import Testing

/// Rules 30 to 36, of objects that another system observes: the same random programs, watched by the same model.
@Suite(.serialized) struct CocoaProgramTests {
    private static let programLength = 800

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("Rules 8 to 11, 14, 30 to 39, 47 to 49: what random programs do is what the model allows, and Cocoa raises nothing")
    func randomProgramsDoWhatTheModelAllows() {
        let operations = (Self.number("SAFEKVO_LIFETIME_OPERATIONS") ?? 1_000_000) / 5
        let seed = UInt64(Self.number("SAFEKVO_LIFETIME_SEED") ?? 1)
        var histogram = Histogram()
        var program = seed
        while histogram.total < operations {
            var random = SeededGenerator(seed: program)
            let bytes = (0..<Self.programLength).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
            if let (objection, failed) = ProgramRun<CocoaThing>.objection(to: Program(bytes: bytes), histogram: &histogram) {
                let (smallest, rest) = ProgramRun<CocoaThing>.shrink(objection, failed)
                Figures.shared.fail("Cocoa, SAFEKVO_LIFETIME_SEED=\(program)\n\(ProgramRun<CocoaThing>.description(smallest, rest))")
                return
            }
            program += 1
        }
        let registrations = CocoaThing.runtime.registrations
        print("Lifetimes over Cocoa: \(histogram.total) operations, \(registrations.made) registrations, none left")
        Figures.shared.add(operations: histogram.total)
        #expect(registrations.made == registrations.ended)
        #expect(registrations.made > operations / 50)
        #expect(histogram.gaps(below: min(200, operations / 1000)) == [])
    }
}
