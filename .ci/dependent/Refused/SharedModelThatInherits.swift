// error: 'Sendable' class 'SharedModelThatInherits' cannot inherit from another class
// SwiftFive: warning
import SafeKVO

#if LEGAL
    nonisolated final class SharedModelThatInherits: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0.0)
    }
#else
    nonisolated final class SharedModelThatInherits: KeyValueObject, Sendable {
        let progress = ObservedValue(0.0)
    }
#endif
