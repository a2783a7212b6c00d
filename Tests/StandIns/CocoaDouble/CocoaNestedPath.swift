import SafeKVO

/// The rest of a path behind its first key, observed at the object that is there.
final class CocoaNestedPath: CocoaObserver {
    private let observer: CocoaObserver.Reference
    private let keyPath: String
    private let rest: String
    private let options: CocoaOptions
    private let context: UInt
    private unowned let root: CocoaObject
    private var middle: CocoaObject?

    init(
        _ observer: CocoaObserver, _ keyPath: String, rest: String, _ options: CocoaOptions, _ context: UInt, root: CocoaObject
    ) {
        self.observer = observer.reference
        self.keyPath = keyPath
        self.rest = rest
        self.options = options.subtracting(.initial)
        self.context = context
        self.root = root
    }

    /// The value at the end.
    var leaf: Any? { middle?.value(forKeyPath: rest) }

    func attach(to value: Any?) {
        middle = value as? CocoaObject
        middle?.addObserver(self, forKeyPath: rest, options: options, context: context)
    }

    func detach() {
        middle?.removeObserver(self, forKeyPath: rest, context: context)
        middle = nil
    }

    override func observeValue(
        forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt
    ) -> Bool {
        guard let observer = observer.observer else {
            root.runtime.raise(.observerIsGone(keyPath: self.keyPath))
            return true
        }
        return observer.observeValue(forKeyPath: self.keyPath, of: root, change: change, context: context)
    }
}
