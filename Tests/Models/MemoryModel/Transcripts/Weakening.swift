/// A site with a weaker memory order than the source has, and what comes of it.
package struct Weakening: Sendable {
    package let site: Site
    package let order: MemoryOrder
    /// The program that no longer keeps its promise; nil if all of them do.
    package let program: String?
    package let violation: String?
    /// How many states were visited up to the violation in that program, or in all that take the step.
    package let states: Int
    package let time: Duration

    /// Weakens a site in each way, one after the other.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - programs: The programs that take its step, in the order in which they are tried.
    /// - Returns: what came of each way.
    package static func all(of site: Site, in programs: [Program]) -> [Weakening] {
        let weaker = site.order.weaker.map { weaken(site, $0, in: programs) }
        // Half of it may do where nothing of it is needed.
        if site.order != .acquiringAndReleasing || weaker.contains(where: { $0.program != nil }) { return weaker }
        return weaker + [weaken(site, .relaxed, in: programs)]
    }

    private static func weaken(_ site: Site, _ order: MemoryOrder, in programs: [Program]) -> Weakening {
        let clock = ContinuousClock()
        let start = clock.now
        var states = 0
        for program in programs {
            let finding = Exploration.explore(program, [Weakened(site, order)])
            if let violation = finding.violation {
                return Weakening(
                    site: site, order: order, program: program.name, violation: violation, states: finding.states, time: clock.now - start)
            }
            states += finding.states
        }
        return Weakening(site: site, order: order, program: nil, violation: nil, states: states, time: clock.now - start)
    }
}
