internal import CSafeKVO

/// A class whose properties can be observed.
///
/// Declare the properties with ``Observed`` (or ``AtomicObserved`` or ``WeakObserved``) and store a registrar. This form compiles in every
/// module and in every isolation:
///
/// ```swift
/// final class WallClock: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var date = Date()
/// }
/// ```
///
/// An `actor` cannot be observed, because Swift forms no key paths to its properties. Let the actor own an observable class instead.
public protocol KeyValueObservable: KeyPathObservable {
    /// The registrar, which stores the observations of the object.
    ///
    /// The registrar is one word in size, and allocates nothing until the object is first observed.
    ///
    /// Declare it as a stored property, `let keyValueRegistrar = KeyValueRegistrar()`. If it is computed, or belongs to another object, the
    /// program ends with a message when the object is observed.
    var keyValueRegistrar: KeyValueRegistrar { get }

    /// Returns `true` if assignments to a property notify its observers.
    ///
    /// The default implementation returns `true`. If a class returns `false` for a property, it must notify observers itself when that
    /// property changes, with ``withChange(of:fileID:line:_:)``. The library may keep the result for all objects of the class, so always return
    /// the same one for a property.
    ///
    /// A class with subclasses implements this as a `class func`. A subclass of ``KeyValueObject`` overrides it. A class on the main actor
    /// conforms with `@MainActor KeyValueObservable`, so that the implementation may use the class's key paths.
    ///
    /// - Parameter key: The property.
    /// - Returns: `false` if only manual notifications notify the observers of the property.
    static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool

    /// Returns key paths that an observed value depends on, in addition to those that the library finds.
    ///
    /// The library evaluates a computed property to find the observed properties that it reads. Return here only what the library cannot
    /// find, such as a property whose changes are announced with manual notifications and whose getter does not call ``access(_:)``. The
    /// default implementation returns none. A subclass adds its key paths to those of `super`. The library may keep the result for all objects
    /// of the class, so always return the same one for a key.
    ///
    /// The key paths count for the observers of the key itself, and not for longer key paths and computed properties that read the key.
    ///
    /// - Parameter key: The key path of the observed value.
    /// - Returns: key paths from the same object.
    static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath>

    /// `true` if Swift's Observation tracks the properties of the class, because the class also conforms to `Observable`.
    ///
    /// Only the library uses this requirement.
    static var _isTracked: Bool { get }

    /// Reports an access to a property to Swift's Observation, if the class also conforms to `Observable`; otherwise does nothing.
    ///
    /// Only the library uses this requirement.
    func _track<Owner: AnyObject, Value>(_ access: _TrackedAccess, _ keyPath: () -> KeyPath<Owner, Value>)
}

extension KeyValueObservable {
    /// Returns `true`: assignments notify observers.
    public static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Returns no key paths.
    public static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// A base class for objects whose properties are observed, which declares the registrar for its subclasses.
///
/// Use it in modules without a default isolation. Conform to ``KeyValueObservable`` instead if the class has another superclass or belongs
/// to an actor. Do the same in a module with `-default-isolation MainActor`, where a subclass of this class does not compile.
open class KeyValueObject: KeyValueObservable {
    /// The registrar, which stores the observations of the object.
    public final let keyValueRegistrar = KeyValueRegistrar()

    /// Makes an object without observers.
    public init() {}

    /// Returns `true`: assignments notify observers.
    ///
    /// Override this for properties whose changes the class announces with manual notifications.
    open class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { true }

    /// Returns no key paths.
    ///
    /// Override this for a value that depends on state other than observed properties.
    open class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> { [] }
}

/// The storage for the observations of one object, one word in size.
///
/// Declare it as a stored constant of the object. When the object is deallocated, the registrar is destroyed, which ends all observations
/// of the object.
public struct KeyValueRegistrar: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar without allocating memory.
    @_alwaysEmitIntoClient
    public init() {
        observers = ObserverRegistrar()
    }

    /// Returns the record of the object's observations; nil if the object was never observed.
    @inline(__always)
    func record(ownedBy object: AnyObject) -> Unretained<ObservationRecord>? { withRecord(ownedBy: object) { Unretained($0) } }

    @inline(__always)
    func withRecord<Result>(ownedBy object: AnyObject, _ body: (ObservationRecord) -> Result) -> Result? {
        observers.withRecord(ownedBy: object, .keyValue, body)
    }

    /// Returns the record of the object's observations, made if missing; for a stand-in, `other` is the object that it stands for.
    @discardableResult
    package func record(of object: AnyObject, standingFor other: AnyObject? = nil) -> ObservationRecord {
        observers.record(of: object, standingFor: other, .keyValue)
    }
}

/// Functions for keys whose changes another system reports, and which are observed like properties.
extension KeyValueObservable {
    /// Returns the observer list of a key, made if missing.
    ///
    /// The number of the key is no offset of a property of the object: its highest bit is set.
    package func list<Value>(
        ofKey number: UInt, _ keyPath: KeyPath<Self, Value>, hook: (Unretained<ObserverList>) -> any ObserverListHook
    ) -> ObserverList {
        let record = keyValueRegistrar.record(of: self)
        return record.properties.list(
            where: { $0.property == number },
            orMake: {
                let key = PropertyKey(number: number, isAtomic: false, values: Value.self)
                return ObserverList(of: key, record: record, keyPath: keyPath, hook: hook)
            })
    }

    /// Reads a key, and reports the read to an observed key path that is being evaluated.
    package func read<Value>(
        key number: UInt, _ keyPath: ReferenceWritableKeyPath<Self, Value>, _ body: () -> Value
    ) -> Value {
        if safekvo_is_recording(), PropertyAccess.unexpectedRead(self, keyValueRegistrar, number) != nil {
            PropertyAccess.recordRead(self, property: number, keyPath: { keyPath })
        }
        let value = Recording.suspended(body)
        if safekvo_is_recording() { PropertyAccess.didRead(value) }
        return value
    }
}
