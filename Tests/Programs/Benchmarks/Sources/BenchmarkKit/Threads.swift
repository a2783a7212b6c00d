import Foundation
import Synchronization

/// The same work on one thread and on several.
public enum Threads {
    /// How many times as much two threads do as one.
    public struct Ratios: Sendable {
        /// By the time on the wall, from the common start to the end of the last share.
        public var wallRatio: Double
        /// By the processor time of the shares: what one thread costs the other, whatever else the machine does meanwhile.
        public var cpuRatio: Double
    }

    /// Compares one thread with two.
    ///
    /// Each is tried a few times in turn, and the best of each counts: other programs on the machine can only make either slower.
    ///
    /// - Parameter setUp: Called on each thread, before the clock starts, so that no two threads' objects lie in one cache line. Returns
    ///   the work.
    /// - Returns: how they compare.
    public static func run(setUp: @escaping @Sendable () -> () -> Int) -> Ratios {
        var one = Times(wall: .infinity, cpu: .infinity)
        var two = one
        for _ in 0..<5 {
            one.improve(with: run(threads: 1, setUp: setUp))
            two.improve(with: run(threads: 2, setUp: setUp))
        }
        return Ratios(wallRatio: 2 * one.wall / two.wall, cpuRatio: 2 * one.cpu / two.cpu)
    }

    /// Takes the time of two threads that do the same at once, with something that they share.
    ///
    /// - Parameters:
    ///   - passes: How often each thread does it.
    ///   - body: Does it so often.
    /// - Returns: nanoseconds on the wall for each time, whoever did it; the best of five.
    public static func eachOfTwo(passes: Int, body: @escaping @Sendable (_ passes: Int) -> Void) -> Double {
        var best = Times(wall: .infinity, cpu: .infinity)
        for _ in 0..<5 {
            best.improve(
                with: run(threads: 2) {
                    body(passes / 8)
                    return {
                        body(passes)
                        return passes
                    }
                })
        }
        return best.wall / Double(2 * passes)
    }

    /// Takes the time of several threads that do the same at once, with something that they share.
    ///
    /// It takes a twentieth of a second, however long one operation takes.
    ///
    /// - Parameters:
    ///   - threads: How many threads there are.
    ///   - setUp: Called on each thread, before the clock starts. Returns a function that does the operation so many times.
    /// - Returns: nanoseconds on the wall, divided by the number of operations of all threads.
    public static func each(of threads: Int, setUp: @escaping @Sendable () -> (_ passes: Int) -> Void) -> Double {
        let passes = 32
        let done = Atomic<Int>(0)
        let times = run(threads: threads) {
            let body = setUp()
            body(passes)
            return {
                let end = Clock.wallTime() + 50e6
                var count = 0
                repeat {
                    body(passes)
                    count += passes
                } while Clock.wallTime() < end
                done.wrappingAdd(count, ordering: .relaxed)
                return count
            }
        }
        return times.wall / Double(done.load(ordering: .relaxed))
    }

    /// The name of a row about something that so many threads do at once.
    public static func rowName(_ threads: Int, _ operation: String) -> String {
        "\(threads) thread\(threads == 1 ? "" : "s"): \(operation)"
    }

    private struct Times {
        var wall: Double
        var cpu: Double

        mutating func improve(with other: Times) {
            wall = min(wall, other.wall)
            cpu = min(cpu, other.cpu)
        }
    }

    /// Does the work on a number of threads at once, the calling one among them.
    private static func run(threads: Int, setUp: @escaping @Sendable () -> () -> Int) -> Times {
        let start = Start(threads: threads)
        let finish = Finish()
        for _ in 1..<threads {
            Thread.detachNewThread { finish.add(share(start, setUp)) }
        }
        let own = share(start, setUp)
        let others = (1..<threads).map { _ in finish.wait() }
        let all = [own] + others
        return Times(
            wall: (all.map(\.end).max() ?? 0) - (all.map(\.begin).min() ?? 0), cpu: all.map(\.cpu).reduce(0, +) / Double(threads))
    }

    private struct Share: Sendable {
        var begin: Double
        var end: Double
        var cpu: Double
    }

    private static func share(_ start: Start, _ setUp: () -> () -> Int) -> Share {
        let work = setUp()
        start.wait()
        let begin = Clock.wallTime()
        let cpu = Clock.threadTime()
        consume(work())
        return Share(begin: begin, end: Clock.wallTime(), cpu: Clock.threadTime() - cpu)
    }

    /// Lets all threads go at once.
    private final class Start: Sendable {
        private let missing: Atomic<Int>

        init(threads: Int) { missing = Atomic(threads) }

        func wait() {
            missing.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            // With more threads than processors, the last one needs a processor to arrive.
            while missing.load(ordering: .acquiring) > 0 { sched_yield() }
        }
    }

    /// Collects the shares of the other threads.
    private final class Finish: Sendable {
        private let shares = Mutex<[Share]>([])
        private let semaphore = DispatchSemaphore(value: 0)

        func add(_ share: Share) {
            shares.withLock { $0.append(share) }
            semaphore.signal()
        }

        func wait() -> Share {
            semaphore.wait()
            return shares.withLock { $0.removeFirst() }
        }
    }
}
