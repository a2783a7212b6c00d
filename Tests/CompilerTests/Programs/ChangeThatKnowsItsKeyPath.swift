// error: type 'AnyKeyValueChange' does not conform to the 'Sendable' protocol
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

func send(_ value: some Sendable) {}

func program(_ change: KeyValueChange<Int>) {
    #if LEGAL
        send(change)
    #else
        send(AnyKeyValueChange(change, keyPath: \Clock.hour))
    #endif
}
