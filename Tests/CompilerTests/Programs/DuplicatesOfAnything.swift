// error: contextual member reference to static property 'duplicates' requires 'Self' constraint in the protocol extension
import SafeKVO

final class Clock: KeyValueObject, @unchecked Sendable {
    @Observed var hour = 0
    @Observed var mark = Mark()
}

struct Mark: Sendable {}

final class View: Sendable {}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.mark, removing: .duplicates(by: { _, _ in false })) { _, _ in }
    #else
        observations.observe(clock, \.mark, removing: .duplicates) { _, _ in }
    #endif
}
