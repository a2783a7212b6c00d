import Observation
import Synchronization

/// A subject that threads share: the number stands under a lock.
final class SharedTrackedModel: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let value = Mutex(0)

    var first: Int {
        get {
            registrar.access(self, keyPath: \.first)
            return value.withLock { $0 }
        }
        set { registrar.withMutation(of: self, keyPath: \.first) { value.withLock { $0 = newValue } } }
    }
}
