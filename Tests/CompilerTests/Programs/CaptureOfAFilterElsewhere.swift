// error: capture of 'list' with non-Sendable type 'List' in a '@Sendable' closure
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @Observed var level = 0
}

final class List {
    var levels: [Int] = []
}

final class Log: Sendable {}

func program(_ gauge: Gauge, _ observations: ObservationController<Log>, _ list: List) {
    #if LEGAL
        observations.observe(
            gauge, \.level,
            removing: .duplicates { old, new in
                list.levels.append(new)
                return old == new
            }
        ) { _, level in print(level) }
    #else
        observations.observe(
            gauge, \.level,
            removing: .duplicates { old, new in
                list.levels.append(new)
                return old == new
            }, on: .anyThread { _, level in print(level) })
    #endif
}
