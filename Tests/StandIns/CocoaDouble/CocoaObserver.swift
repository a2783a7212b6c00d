/// Somebody who is registered with a ``CocoaObject``.
open class CocoaObserver {
    /// What registrations keep of an observer, which they do not retain.
    ///
    /// The weak reference is formed once. When each registration formed one, LeakSanitizer found what the runtime allocates for it.
    final class Reference: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the reference is set in the `init` of its observer, and read after that.
        fileprivate(set) weak var observer: CocoaObserver?
    }

    let reference = Reference()

    /// Makes an observer that knows nothing.
    public init() {
        reference.observer = self
    }

    /// `observeValueForKeyPath:ofObject:change:context:`.
    ///
    /// - Returns: whether the observer knows what to do with it; the inherited method does not.
    open func observeValue(forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt) -> Bool {
        false
    }
}
