/// A key path in the form in which an observer wrote it.
///
/// It equals every key path to the same property, even if that key path begins with a superclass or a subclass. If `Employee` inherits
/// `name` from `Person`, then for an observer of `\Employee.name` the expression `key == \Person.name` is true.
///
/// ```swift
/// switch key {
/// case \Person.fullName: [\Person.firstName, \Person.lastName]
/// default: super.keyPathsForValuesAffectingValue(for: key)
/// }
/// ```
///
/// There is one exception: a property that a `final` class overrides, or that is itself a `final override`. For such a property,
/// `\Employee.name` does not equal `\Person.name`, because the compiler uses different getters for the two. Write both key paths in that
/// case: `case \Person.fullName, \Employee.fullName:`.
public struct ObservedKeyPath {
    /// The key path as the observer wrote it.
    public let keyPath: AnyKeyPath

    /// Wraps a key path, for a call of one of the functions that take an `ObservedKeyPath`.
    public init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Returns `true` if both key paths lead to the same property.
    public static func == (key: ObservedKeyPath, keyPath: AnyKeyPath) -> Bool {
        key.keyPath.isSpelling(of: keyPath)
    }

    /// Returns `true` if the key paths lead to different properties.
    public static func != (key: ObservedKeyPath, keyPath: AnyKeyPath) -> Bool {
        !(key == keyPath)
    }

    /// Returns `true` if the key path of a `case` leads to the same property as the observed key path.
    public static func ~= (keyPath: AnyKeyPath, key: ObservedKeyPath) -> Bool {
        key == keyPath
    }
}
