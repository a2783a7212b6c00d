// error: capture of 'plain' with non-Sendable type 'PlainListener' in a '@Sendable' closure
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

nonisolated func tokenOfASignal(_ signal: Signal<Int>, _ listener: SharedListener) {
    let plain = PlainListener()
    #if LEGAL
        _ = signal.observation { number in listener.hear("\(number)") }
    #else
        _ = signal.observation { number in plain.hear("\(number)") }
    #endif
}
