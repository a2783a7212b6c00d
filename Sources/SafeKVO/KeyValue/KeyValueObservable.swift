/// A class whose properties can be observed.
///
/// Declare the properties with ``Observed`` (or ``AtomicObserved``) and add the registrar, or inherit both from ``KeyValueObject``:
///
/// ```swift
/// final class WallClock: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var date = Date()
/// }
/// ```
///
/// An `actor` cannot conform usefully, because no key path can be formed to an actor's properties: let the actor own a class.
public protocol KeyValueObservable: AnyObject {
    /// Where the object keeps what is needed to observe it: one word, nothing allocated until somebody observes.
    var keyValueRegistrar: KeyValueRegistrar { get }
}
