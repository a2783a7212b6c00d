// error: stored property 'observations' of 'Sendable'-conforming class 'Owner' has non-Sendable type 'ObservationController<Log>'
import SafeKVO

final class Log: Sendable {}

final class Owner: Sendable {
    #if LEGAL
        let observations: SharedObservationController<Log>
    #else
        let observations: ObservationController<Log>
    #endif

    init(_ log: Log) { observations = .init(observer: log) }
}
