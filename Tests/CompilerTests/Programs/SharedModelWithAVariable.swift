// error: stored property '_progress' of 'Sendable'-conforming class 'Download' is mutable
import SafeKVO

final class Download: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    #if LEGAL
        let progress = ObservedValue(0.0)
    #else
        @AtomicObserved var progress = 0.0
    #endif
}
