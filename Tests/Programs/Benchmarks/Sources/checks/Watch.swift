import Foundation

/// Measures once, roughly: the benchmarks measure well.
enum Watch {
    static func nanoseconds(each parts: Int, _ body: () -> Void) -> String {
        let clock = ContinuousClock()
        let elapsed = clock.measure(body)
        return "\(Int(elapsed / .nanoseconds(1)) / parts) ns each"
    }
}
