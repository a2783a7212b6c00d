// error: value of type 'Clock' has no member 'hours'
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
    @Observed var name = ""
}

final class View {
    var seen = 0

    func hourDidChange(_ change: KeyValueChange<Int>) { seen += 1 }
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        _ = clock.observation(of: \.hour) { _, hour in print(hour) }
    #else
        _ = clock.observation(of: \.hours) { _, hour in print(hour) }
    #endif
}
