// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func observedValueOfAPlainObject(_ plain: PlainListener, _ shared: SharedListener) {
    #if LEGAL
        _ = ObservedValue(shared)
    #else
        _ = ObservedValue(plain)
    #endif
}
