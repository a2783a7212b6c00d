import SafeKVO

/// A key path through another object on which a value depends: observed there, on behalf of the value's observer.
///
/// When it is removed it asks the object for the other one, as Cocoa does.
final class CocoaDependency: CocoaObserver {
    let first: String
    private let rest: String
    private let key: String
    private weak let object: CocoaObject?

    init(_ keyPath: (first: String, rest: String), of key: String, _ object: CocoaObject) {
        (first, rest) = keyPath
        self.key = key
        self.object = object
    }

    func attach(through object: CocoaObject) {
        (object.value(forKey: first) as? CocoaObject)?.addObserver(self, forKeyPath: rest, options: .prior, context: 0)
    }

    func detach(through object: CocoaObject) {
        (object.value(forKey: first) as? CocoaObject)?.removeObserver(self, forKeyPath: rest, context: 0)
    }

    override func observeValue(
        forKeyPath keyPath: String, of other: CocoaObject, change: [CocoaChangeKey: Any], context: UInt
    ) -> Bool {
        if change[.notificationIsPrior] != nil { object?.willChangeValue(forKey: key) } else { object?.didChangeValue(forKey: key) }
        return true
    }
}
