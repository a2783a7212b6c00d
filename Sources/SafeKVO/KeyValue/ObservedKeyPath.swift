/// A key path in the form in which an observer wrote it.
///
/// An observed key path equals every key path to the same property, even one that begins with a superclass or a subclass. For example,
/// `Employee` inherits `name` from `Person`. If the observer wrote `\Employee.name`, then `key == \Person.name` is `true`.
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

    /// Makes an observed key path from a key path, for example to test a function that takes one.
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
