public import Foundation
public import SafeKVO

/// A base class for observable objects that must be `NSObject`s.
///
/// Declare its properties with `Observed`, as in a `KeyValueObject`. Observers are notified by SafeKVO, not by Cocoa, on every
/// platform. So the properties need no `@objc dynamic`.
open class ObservableNSObject: NSObject, KeyValueObservable {
    /// The registrar, which holds the observations of the object.
    public final let keyValueRegistrar = KeyValueRegistrar()

    /// Makes an object without observers.
    public override init() {
        super.init()
    }
}
