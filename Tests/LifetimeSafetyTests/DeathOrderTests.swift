import Testing

/// Rules 30 to 35: who goes in which order, and where.
@Suite struct DeathOrderTests {
    @Test(
        "Rules 30 to 35: in every order, everywhere: no call to the dead, no record and no object left", arguments: DeathPlace.allCases,
        [true, false])
    func everyOrderEverywhere(place: DeathPlace, retaining: Bool) {
        play(DeathCase.all(place, retaining: retaining, ofItself: false), atLeast: 720)
    }

    @Test("Rules 31 to 35: likewise for objects that observe themselves", arguments: DeathPlace.allCases, [true, false])
    func everyOrderOfSelfObservation(place: DeathPlace, retaining: Bool) {
        play(DeathCase.all(place, retaining: retaining, ofItself: true), atLeast: 120)
    }

    private func play(_ cases: [DeathCase], atLeast count: Int) {
        #expect(cases.count >= count)
        var failed = 0
        for course in cases where failed < 3 {
            let scene = DeathScene(course)
            scene.play()
            Figures.shared.add(operations: course.order.count + 3)
            if scene.failures.isEmpty { continue }
            failed += 1
            Figures.shared.fail("\(course)\n" + scene.failures.map { "  \($0)" }.joined(separator: "\n"))
        }
        Figures.shared.add(interleavings: cases.count)
    }
}
