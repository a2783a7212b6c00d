/// A class whose properties can be observed.
///
/// Declare the properties with ``Observed`` (or ``AtomicObserved``) and store a registrar. That compiles in every module and in every isolation:
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

    /// A Boolean value that indicates whether Swift's Observation tracks the properties of the class.
    ///
    /// The requirement belongs to the library. Its value is `true` if the class that conforms to this protocol conforms to `Observable`, too.
    static var _isTracked: Bool { get }

    /// Passes an access to a property on to Swift's Observation, if that tracks the properties of the class.
    ///
    /// The requirement belongs to the library.
    func _track<Owner: AnyObject, Value>(_ access: _TrackedAccess, _ keyPath: () -> KeyPath<Owner, Value>)
}

extension KeyValueObservable {
    /// Says yes.
    public static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Names nothing.
    public static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// A base class for objects whose properties are observed.
///
/// It holds the registrar and nothing else: a shorthand for modules without a default isolation. Conform to ``KeyValueObservable`` instead where the
/// class has another superclass, belongs to an actor, or is in a module with `-default-isolation MainActor`, where a subclass does not compile.
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

/// The one word that an observable object needs.
///
/// Make it a stored constant of the object. It is destroyed with the object, which ends all observations of it.
public struct KeyValueRegistrar: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar.
    ///
    /// Nothing is allocated.
    @inlinable
    public init() {
        observers = ObserverRegistrar()
    }

    /// The record of the object that the registrar belongs to, if it has one.
    @inline(__always)
    func record(ownedBy object: AnyObject) -> Unretained<ObservationRecord>? { observers.record(ownedBy: object, .keyValue) }

    /// Uses the record of the object that the registrar belongs to, without taking a reference; nil if it has none.
    @inline(__always)
    func withRecord<Result>(ownedBy object: AnyObject, _ body: (ObservationRecord) -> Result) -> Result? {
        // SAFETY: the registrar keeps the record.
        unsafe record(ownedBy: object)?.with(body)
    }

    /// The record of the object that the registrar belongs to, made if there is none.
    func record(of object: AnyObject) -> ObservationRecord { observers.record(of: object, .keyValue) }
}
