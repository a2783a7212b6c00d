// error: stored property 'progress' of 'Sendable'-conforming class 'ObservedValueInAVariable' is mutable
// SwiftFive: warning
import SafeKVO

nonisolated final class ObservedValueInAVariable: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    #if LEGAL
        let progress = ObservedValue(0.0)
    #else
        var progress = ObservedValue(0.0)
    #endif
}
