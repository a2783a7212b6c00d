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
