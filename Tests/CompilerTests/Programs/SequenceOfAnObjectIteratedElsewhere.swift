// error: capture of 'levels' with non-Sendable type 'ObservationSequence<Int>' in a '@Sendable' closure
import Foundation
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

func program(_ gauge: Gauge) {
    #if LEGAL
        let levels = gauge.sharedValues(of: \.level)
    #else
        let levels = gauge.values(of: \.level)
    #endif
    Thread.detachNewThread { print(levels.droppedCount) }
}
