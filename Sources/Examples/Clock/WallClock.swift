import Foundation
import SafeKVO

/// The observed object of the example: a wall clock.
///
/// `KeyValueObject` makes the class observable. `@Observed` notifies observers of each change of a property. The computed
/// property ``time`` needs no declaration.
final class WallClock: KeyValueObject {
    @Observed private(set) var date = Date()

    @Observed var isRunning = true

    /// The time that the clock shows, as text.
    ///
    /// The library notices that this getter reads `date`. So an observer of `\.time` is notified whenever `date` changes.
    var time: String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second, .nanosecond], from: date)
        let (hour, minute, second) = (parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
        return String(format: "%02d:%02d:%02d.%d", hour, minute, second, (parts.nanosecond ?? 0) / 100_000_000)
    }

    func run(ticks: Int) async {
        for _ in 0..<ticks {
            try? await Task.sleep(for: .milliseconds(200))
            tick()
        }
    }

    private func tick() {
        if isRunning { date = Date() }
    }
}
