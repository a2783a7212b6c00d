/// A class whose properties can be observed.
///
/// Declare the properties with ``Observed`` (or ``AtomicObserved``) and store a registrar. This form compiles in every module and in every
/// isolation:
///
/// ```swift
/// final class WallClock: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var date = Date()
/// }
/// ```
///
/// Do not use this protocol for an `actor`: Swift forms no key paths to an actor's properties. Let the actor own an observable class
/// instead.
public protocol KeyValueObservable: KeyPathObservable {
    /// The registrar, which keeps the observations of the object.
    ///
    /// It is one word. Nothing is allocated until the object is first observed.
    ///
    /// Declare it as a stored property, `let keyValueRegistrar = KeyValueRegistrar()`. If the registrar is computed or belongs to another
    /// object, observing the object ends the program with a message.
    var keyValueRegistrar: KeyValueRegistrar { get }

    /// Returns a Boolean value that indicates whether assignments to a property notify its observers.
    ///
    /// The default implementation returns `true`. If a class returns `false` for a property, it must notify of the changes of that property
    /// itself, with ``withChange(of:fileID:line:_:)``. The library calls this function once for each property of each object, when the
    /// property is first observed.
    ///
    /// A class with subclasses implements this as a `class func`. A subclass of ``KeyValueObject`` overrides it. A class on the main actor
    /// conforms with `@MainActor KeyValueObservable`, so that the implementation may use the class's key paths.
    ///
    /// - Parameter key: The property.
    /// - Returns: `false` if only manual notifications notify the observers of the property.
    static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool

    /// Returns the key paths that the value of another key path depends on, in addition to those that the library finds.
    ///
    /// The library evaluates a computed property to find the observed properties that it reads. Return here only what the library cannot
    /// find, such as a property whose changes are announced with manual notifications. The returned key paths add to those that the library
    /// finds. The default implementation returns none. A subclass adds its key paths to those of `super`.
    ///
    /// - Parameter key: The observed key path.
    /// - Returns: key paths from the same object.
    static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath>

    /// A Boolean value that indicates whether Swift's Observation tracks the properties of the class.
    ///
    /// This requirement belongs to the library. The value is `true` if the class also conforms to `Observable`.
    static var _isTracked: Bool { get }

    /// Reports an access to a property to Swift's Observation, if Swift's Observation tracks the properties of the class.
    ///
    /// This requirement belongs to the library.
    func _track<Owner: AnyObject, Value>(_ access: _TrackedAccess, _ keyPath: () -> KeyPath<Owner, Value>)
}

extension KeyValueObservable {
    /// Returns `true`: assignments notify observers.
    public static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Returns no key paths.
    public static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// A base class for objects whose properties are observed.
///
/// It is a shorthand for modules without a default isolation, and adds only the registrar.
///
/// Conform to ``KeyValueObservable`` instead if the class has another superclass or belongs to an actor. Do the same in a module with
/// `-default-isolation MainActor`, where a subclass of this class does not compile.
open class KeyValueObject: KeyValueObservable {
    /// The registrar, which keeps the observations of the object.
    public final let keyValueRegistrar = KeyValueRegistrar()

    /// Makes an object without observers.
    public init() {}

    /// Returns `true`: assignments notify observers.
    ///
    /// Override this for properties whose changes the class announces with manual notifications.
    open class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Returns no key paths.
    ///
    /// Override this for values that depend on state that is not an observed property.
    open class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// The registrar of an observable object: one word that keeps the object's observations.
///
/// Declare it as a stored constant of the object. It is destroyed together with the object, which ends all observations of the object.
public struct KeyValueRegistrar: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar.
    ///
    /// This allocates nothing.
    @inlinable
    public init() {
        observers = ObserverRegistrar()
    }

    /// Returns the object's record, which holds its observations; nil if the object was never observed.
    ///
    /// The registrar belongs to the object.
    @inline(__always)
    func record(ownedBy object: AnyObject) -> Unretained<ObservationRecord>? { observers.record(ownedBy: object, .keyValue) }

    /// Calls a closure with the object's record, which holds its observations, without retaining the record.
    ///
    /// - Returns: the result of the closure; nil if the object has no record because it was never observed.
    @inline(__always)
    func withRecord<Result>(ownedBy object: AnyObject, _ body: (ObservationRecord) -> Result) -> Result? {
        // SAFETY: the registrar retains the record.
        unsafe record(ownedBy: object)?.with(body)
    }

    /// Returns the object's record, which holds its observations.
    ///
    /// Makes the record if the object has none. The registrar belongs to the object.
    func record(of object: AnyObject) -> ObservationRecord { observers.record(of: object, .keyValue) }
}
