// error: 'nonisolated' cannot be applied to mutable stored properties
// SwiftFive: warning
import SafeKVO

nonisolated final class AtomicInASendableClass: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    #if LEGAL
        let progress = ObservedValue(0.0)
    #else
        @AtomicObserved var progress = 0.0
    #endif
}
