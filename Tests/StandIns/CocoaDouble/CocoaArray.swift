/// An `NSArray`: it cannot be observed itself.
public final class CocoaArray: CocoaObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) it adds nothing.

    public override func addObserver(_ observer: CocoaObserver, forKeyPath keyPath: String, options: CocoaOptions, context: UInt) {
        runtime.raise(.notSupported(keyPath: keyPath))
    }

    public override func removeObserver(_ observer: CocoaObserver, forKeyPath keyPath: String, context: UInt) {
        runtime.raise(.notSupported(keyPath: keyPath))
    }
}
