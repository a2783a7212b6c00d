public import Foundation
public import SafeKVO

/// A base class for observable objects that must be `NSObject`s.
///
/// Declare properties with `Observed`, as in a `KeyValueObject`. This is SafeKVO's own observing, on every platform; it has
/// nothing to do with `@objc dynamic`.
open class ObservableNSObject: NSObject, KeyValueObservable {
    /// Where the object keeps what is needed to observe it.
    public final let keyValueRegistrar = KeyValueRegistrar()

    /// Makes an object that nobody observes.
    public override init() {
        super.init()
    }
}
