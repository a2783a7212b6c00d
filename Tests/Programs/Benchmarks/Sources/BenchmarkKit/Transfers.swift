import Foundation

/// Changes made on a second thread for an observer on the main thread.
public enum Transfers {
    /// Measures what a change costs from there to here, by the time on the wall.
    ///
    /// - Parameters:
    ///   - passes: How many changes are made in one sample.
    ///   - arrivals: What the observer counts them with.
    ///   - change: Makes that many changes.
    /// - Returns: nanoseconds a change.
    public static func measure(passes: Int, arrivals: Arrivals, change: @escaping @Sendable (_ passes: Int) -> Void) -> Double {
        run(passes / 8, arrivals, change)
        let start = Clock.wallTime()
        run(passes, arrivals, change)
        return (Clock.wallTime() - start) / Double(passes)
    }

    private static func run(_ passes: Int, _ arrivals: Arrivals, _ change: @escaping @Sendable (_ passes: Int) -> Void) {
        Thread.detachNewThread { change(passes) }
        pass(passes, arrivals)
    }

    /// Lets the main queue do its work until so many changes have arrived.
    public static func pass(_ passes: Int, _ arrivals: Arrivals) {
        // Returns after each round of the main queue, and so after the last.
        while arrivals.current < passes { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
        arrivals.wait(for: passes)
    }
}
