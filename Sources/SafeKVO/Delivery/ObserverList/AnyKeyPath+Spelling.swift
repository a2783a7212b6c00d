extension AnyKeyPath {
    /// Whether two key paths differ at most in the class that they begin with: `\Sub.x` and `\Base.x`.
    ///
    /// Nothing is read through either.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        if isEntireObject, other.isEntireObject { return true }
        let (mine, its) = (type(of: self), type(of: other))
        guard mine.valueType == its.valueType, mine.rootType != its.rootType else { return false }
        // Behind a step that ends in the one's class, only one type is left to compare.
        func compare<Root>(_ root: Root.Type) -> Bool {
            func compare<Value>(_ value: Value.Type) -> Bool {
                let step: KeyPath<RootHolder<Root>, Root> = \.root
                // SAFETY: the other key path's class is taken for that of a key path from `Root`, for appending it only, which copies its
                // components and looks at no object.
                guard let mine = self as? KeyPath<Root, Value>,
                    let its = unsafe Unretained<KeyPath<Root, Value>>(word: Unretained(other).word)?.object
                else { return false }
                return step.appending(path: mine) == step.appending(path: its)
            }
            return _openExistential(mine.valueType, do: compare)
        }
        return mine.rootType is AnyClass && its.rootType is AnyClass && _openExistential(mine.rootType, do: compare)
    }

    /// `true` if this is the key path `\.self` of a class.
    var isEntireObject: Bool {
        func compare<Root>(_ root: Root.Type) -> Bool { self == \Root.self }
        let root = type(of: self).rootType
        return root == type(of: self).valueType && root is AnyClass && _openExistential(root, do: compare)
    }
}
