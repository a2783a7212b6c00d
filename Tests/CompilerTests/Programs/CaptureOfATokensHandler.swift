// error: capture of 'list' with non-Sendable type 'List' in a '@Sendable' closure
import SafeKVO
import SafeKVOEvents

final class List {
    var numbers: [Int] = []
}

func program(_ signal: Signal<Int>, _ list: List) {
    #if LEGAL
        _ = signal.observation { number in print(number) }
    #else
        _ = signal.observation { number in list.numbers.append(number) }
    #endif
}
