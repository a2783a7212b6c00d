import SafeKVO
import Testing

/// Chains of objects that end with their first, in a process of their own: a stack that is too small ends the process.
@Suite struct DepthTests {
    /// Ten to twenty times less than this overflowed a debug build when each end was made inside the one before.
    static let links = 100_000

    final class Link: KeyValueObject {
        @Observed var number = 0
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("A chain of observers, of which each retains the next, ends without recursion")
    func aChainOfRetainingObserversEnds() async {
        await #expect(processExitsWith: .success) {
            var first: Link? = Link()
            var link = first
            for _ in 0..<DepthTests.links {
                let next = Link()
                link?.observations.observe(next, \.number, options: .new) { _, _, _ in }
                link = next
            }
            weak let last = link
            link = nil
            first = nil
            #expect(last == nil)
        }
    }

    @Test("A chain of observers, of which each handler captures the next, ends without recursion")
    func aChainOfHandlersThatCaptureObserversEnds() async {
        await #expect(processExitsWith: .success) {
            var first: Link? = Link()
            var link = first
            for _ in 0..<DepthTests.links {
                let next = Link()
                link?.observations.observe(Link(), \.number, options: .new) { _, _, _ in _ = next }
                link = next
            }
            weak let last = link
            link = nil
            first = nil
            #expect(last == nil)
        }
    }

    @Test("Rule 49: what ends while an observation ends is notified before the removal returns")
    func whatEndsMeanwhileIsNotifiedInOrder() {
        final class Log: @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) used on one thread.
            var events: [String] = []
        }
        let log = Log()
        let (first, observed) = (Link(), Link())
        do {
            let (second, third) = (Link(), Link())
            first.observations.observe(second, \.number, handler: { (_, _: Int) in }, onTermination: { _ in log.events.append("first") })
            second.observations.observe(
                third, \.number, handler: { (_, _: Int) in }, onTermination: { _ in log.events.append("second, third") })
            second.observations.observe(
                observed, \.number, handler: { (_, _: Int) in }, onTermination: { _ in log.events.append("second, observed") })
            third.observations.observe(observed, \.number, handler: { (_, _: Int) in }, onTermination: { _ in log.events.append("third") })
        }
        #expect(log.events == [])
        first.observations.unobserveAll()
        #expect(log.events.first == "first" && log.events.sorted() == ["first", "second, observed", "second, third", "third"])
    }
}
