// error: capture of 'list' with non-Sendable type 'List' in a '@Sendable' closure
import SafeKVO
import SafeKVOEvents

final class List {
    var numbers: [Int] = []
}

final class Log: Sendable {}

func program(_ signal: Signal<Int>, _ observations: ObservationController<Log>, _ list: List) {
    #if LEGAL
        observations.observe(signal) { _, number in print(number) }
    #else
        observations.observe(signal) { _, number in list.numbers.append(number) }
    #endif
}
