// error: contextual closure type '(Clock, Int) -> Void' expects 2 arguments, but 1 was used in closure body
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

func program(_ clock: Clock) {
    #if LEGAL
        _ = clock.observation(of: \.hour) { _, hour in print(hour) }
    #else
        _ = clock.observation(of: \.hour) { hour in print(hour) }
    #endif
}
