// error: type 'Clock' does not conform to the 'Sendable' protocol
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

func program(_ clock: Clock) {
    #if LEGAL
        _ = clock.values(of: \.hour)
    #else
        _ = clock.sharedValues(of: \.hour)
    #endif
}
