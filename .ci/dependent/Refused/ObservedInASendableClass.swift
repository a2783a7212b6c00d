// error: stored property '_progress' of 'Sendable'-conforming class 'ObservedInASendableClass' is mutable
// DefaultMainActor: accepted
// Xcode26: accepted
// SwiftFive: warning
import SafeKVO

final class ObservedInASendableClass: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    #if LEGAL
        let progress = ObservedValue(0.0)
    #else
        @Observed var progress = 0.0
    #endif
}
