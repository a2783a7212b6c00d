import SafeKVO
import SafeKVOTesting

/// Counts the ends of observations by their reasons.
final class EndCounter: Sendable {
    private let log = EventLog<ObservationEndReason>()

    func count(_ reason: ObservationEndReason) { log.append(reason) }

    var reasons: [ObservationEndReason: Int] { Dictionary(log.events.map { ($0, 1) }, uniquingKeysWith: +) }
}
