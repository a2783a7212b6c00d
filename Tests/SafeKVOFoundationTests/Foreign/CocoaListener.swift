import CocoaDouble

/// An observer that is registered with the double itself, and keeps what it is told.
class CocoaListener: CocoaObserver, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it, as the tests say.
    var told: [[CocoaChangeKey: Any]] = []
    var contexts: [UInt] = []
    var onChange: (() -> Void)?

    override func observeValue(
        forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt
    ) -> Bool {
        told.append(change)
        contexts.append(context)
        onChange?()
        return true
    }
}
