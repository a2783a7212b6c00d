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

extension AnyKeyPath {
    /// Returns `true` if two key paths differ at most in the class that they begin with, as `\Sub.x` and `\Base.x` do.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        let (mine, its) = (type(of: self), type(of: other))
        if mine.rootType == its.rootType { return false }
        // Nothing is appended for `\.self`, so the comparison below cannot be made with it.
        if isEntireObject || other.isEntireObject { return isEntireObject && other.isEntireObject }
        guard mine.valueType == its.valueType else { return false }
        // `\Sub.x` never equals `\Base.x`, because the two begin with different types. So append each of them to the key path
        // `\RootHolder<Root>.root`, and compare the results, which both begin with `RootHolder<Root>`.
        func compare<Root>(_ root: Root.Type) -> Bool {
            func compare<Value>(_ value: Value.Type) -> Bool {
                let step: KeyPath<RootHolder<Root>, Root> = \.root
                // SAFETY: `its` is the key path `other`, treated as one that begins with `Root`. Only
                // `appending(path:)` uses it, and copies its components without accessing an object.
                guard let mine = self as? KeyPath<Root, Value>,
                    let its = unsafe Unretained<KeyPath<Root, Value>>(word: Unretained(other).word)?.object
                else { return false }
                return step.appending(path: mine) == step.appending(path: its)
            }
            return _openExistential(mine.valueType, do: compare)
        }
        return mine.rootType is AnyClass && its.rootType is AnyClass && _openExistential(mine.rootType, do: compare)
    }

    @usableFromInline
    var isEntireObject: Bool {
        func compare<Root>(_ root: Root.Type) -> Bool { self == \Root.self }
        let root = type(of: self).rootType
        return root == type(of: self).valueType && root is AnyClass && _openExistential(root, do: compare)
    }
}

/// Gives two key paths the same root type, so that they can be compared: `\.root` is put before each of them.
struct RootHolder<Root> {
    let root: Root
}
