// error: type 'Part' does not conform to the 'Sendable' protocol
import SafeKVO

final class Part {}

final class Machine: KeyValueObject {
    #if LEGAL
        @Observed var part = Part()
    #else
        @AtomicObserved var part = Part()
    #endif
}
