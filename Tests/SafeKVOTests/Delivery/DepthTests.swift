import Foundation
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

    static func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 1 << 19
            thread.start()
        }
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

    @Test("Many key paths with one hash, as a subscript's argument may make them, end without recursion")
    func keyPathsWithEqualHashesEnd() async {
        await #expect(processExitsWith: .success) {
            struct Place: Hashable {
                let number: Int
                func hash(into hasher: inout Hasher) {}
            }
            final class Shelf: KeyValueObject {
                @Observed var number = 0
                subscript(place: Place) -> Int { number + place.number }
            }
            final class Observer {}
            // A thread of a dispatch queue has such a stack.
            await DepthTests.onSmallStack {
                let observer = Observer()
                let observations = ObservationController(observer: observer)
                let shelf = Shelf()
                for number in 0..<3000 { observations.observe(shelf, \.[Place(number: number)], options: .new) { _, _, _ in } }
                observations.unobserveAll()
                withExtendedLifetime(observer) {}
            }
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
