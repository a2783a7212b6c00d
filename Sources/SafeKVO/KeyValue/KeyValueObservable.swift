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
public protocol KeyValueObservable: KeyPathObservable {
    /// Where the object keeps what is needed to observe it: one word, nothing allocated until somebody observes.
    ///
    /// It is a stored property, `let keyValueRegistrar = KeyValueRegistrar()`. Observing an object whose registrar is computed, or another
    /// object's, ends the program with a message.
    var keyValueRegistrar: KeyValueRegistrar { get }

    /// Whether assignments to a property announce its changes.
    ///
    /// The default says yes. Where a class says no, it announces the changes of that property by hand with
    /// ``withChange(of:fileID:line:_:)``.
    /// It is asked once for each property of each object, when the property is first observed.
    ///
    /// A class that others inherit from implements it as a `class func`; a subclass of ``KeyValueObject`` overrides it. A class on the main
    /// actor conforms with `@MainActor KeyValueObservable`, so that it may name its key paths.
    ///
    /// - Parameter key: The property.
    /// - Returns: false if only announcements by hand tell of its changes.
    static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool

    /// The key paths on which the value of another depends, besides those that the library finds out.
    ///
    /// What a computed property reads of observed properties is found by evaluating it. Name here what it depends on otherwise: a value that
    /// is announced by hand. What is named adds to what is found. The default names nothing; a subclass adds to what `super` says.
    ///
    /// - Parameter key: The key path that is observed.
    /// - Returns: key paths from the same object.
    static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath>
}

extension KeyValueObservable {
    /// Says yes.
    public static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Names nothing.
    public static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// A base class for objects whose properties are observed.
///
/// It holds the registrar and nothing else. Conform to ``KeyValueObservable`` instead where the class has another superclass.
open class KeyValueObject: KeyValueObservable {
    /// Where the object keeps what is needed to observe it.
    public final let keyValueRegistrar = KeyValueRegistrar()

    /// Makes an object that nobody observes.
    public init() {}

    /// Says yes; override it for properties whose changes the class announces by hand.
    open class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Names nothing; override it for values that depend on what is not an observed property.
    open class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}
