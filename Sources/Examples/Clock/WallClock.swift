import Foundation
import SafeKVO

/// The subject: a clock on the wall.
///
/// `KeyValueObject` brings what an observable class needs. `@Observed` announces each change of a property. Nothing else has to be declared,
/// not even for ``time``, which is computed.
final class WallClock: KeyValueObject {
    /// The moment that the clock shows.
    ///
    /// Only the clock itself sets it.
    @Observed private(set) var date = Date()

    /// Whether the clock goes; if not, it shows the moment at which it was stopped.
    @Observed var isRunning = true

    /// What the clock shows, as text.
    ///
    /// The library notes that this getter reads `date`: who observes `\.time` is called whenever `date` changes.
    var time: String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second, .nanosecond], from: date)
        let (hour, minute, second) = (parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
        return String(format: "%02d:%02d:%02d.%d", hour, minute, second, (parts.nanosecond ?? 0) / 100_000_000)
    }

    /// Lets real time pass, five ticks a second.
    func run(ticks: Int) async {
        for _ in 0..<ticks {
            try? await Task.sleep(for: .milliseconds(200))
            tick()
        }
    }

    /// Reads the system's time.
    ///
    /// The assignment calls the observers before it returns.
    private func tick() {
        if isRunning { date = Date() }
    }
}
