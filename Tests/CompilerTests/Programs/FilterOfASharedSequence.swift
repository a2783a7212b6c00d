// error: cannot convert value of type 'RemovingDuplicates<Int>' to expected argument type 'SharedRemovingDuplicates<Int>'
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

func program(_ gauge: Gauge, _ filter: RemovingDuplicates<Int>) {
    #if LEGAL
        _ = gauge.values(of: \.level, removing: filter)
    #else
        _ = gauge.sharedValues(of: \.level, removing: filter)
    #endif
}
