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
