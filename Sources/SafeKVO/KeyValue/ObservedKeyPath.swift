/// A key path as an observer wrote it.
///
/// It equals every key path to the same property of the same object, whatever class it begins with: for an observer of `\Employee.name`,
/// `key == \Person.name` is true where `Employee` inherits the property from `Person`.
///
/// ```swift
/// switch key {
/// case \Person.fullName: [\Person.firstName, \Person.lastName]
/// default: super.keyPathsForValuesAffectingValue(for: key)
/// }
/// ```
///
/// A property that a `final` class overrides, or that is itself a `final override`, is one of its own: `\Employee.name` does not equal
/// `\Person.name` then, because the compiler calls the one getter directly and the other by way of the class. Name both where both count:
/// `case \Person.fullName, \Employee.fullName:`.
public struct ObservedKeyPath {
    /// The key path as it was written.
    public let keyPath: AnyKeyPath

    /// Wraps a key path, to ask a class about it.
    public init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Whether the key path leads to the same property.
    public static func == (key: ObservedKeyPath, keyPath: AnyKeyPath) -> Bool {
        key.keyPath.isSpelling(of: keyPath)
    }

    /// Whether the key path does not lead to the same property.
    public static func != (key: ObservedKeyPath, keyPath: AnyKeyPath) -> Bool {
        !(key == keyPath)
    }

    /// Whether the key path of a `case` leads to the same property.
    public static func ~= (keyPath: AnyKeyPath, key: ObservedKeyPath) -> Bool {
        key == keyPath
    }
}
