/// Somebody who is registered with a ``CocoaObject``.
open class CocoaObserver {
    /// Makes an observer that knows nothing.
    public init() {}

    /// `observeValueForKeyPath:ofObject:change:context:`.
    ///
    /// - Returns: whether the observer knows what to do with it; the inherited method does not.
    open func observeValue(forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt) -> Bool {
        false
    }
}
