extension AnyKeyPath {
    /// Returns `true` if this key path equals the given key paths joined end to end.
    ///
    /// `\.a!.b` counts as `\.a` followed by `\.b`.
    func isChain(of hops: [AnyKeyPath]) -> Bool {
        guard var whole = hops.last else { return false }
        // Join from the end. In another order, the result would not equal the literal `\.a.b.c`.
        for hop in hops.dropLast().reversed() {
            guard let longer = hop.appendingHop(whole) else { return false }
            whole = longer
        }
        return whole.isSpelling(of: self)
    }

    /// Appends a key path, behind a `!` if an optional must be unwrapped; returns nil if their types do not fit.
    private func appendingHop(_ next: AnyKeyPath) -> AnyKeyPath? {
        if let direct = appending(path: next) { return direct }
        func open<Root>(_ root: Root.Type) -> AnyKeyPath? {
            func open<Value>(_ value: Value.Type) -> AnyKeyPath? {
                if let optional = value as? any UnwrappableValue.Type { return optional.unwrapping(next).flatMap { appending(path: $0) } }
                return (self as? KeyPath<Root, Value>)?.appendingInherited(next)
            }
            return _openExistential(type(of: self).valueType, do: open)
        }
        return _openExistential(type(of: self).rootType, do: open)
    }
}

extension KeyPath {
    /// Appends a key path that starts at a superclass of `Value`.
    ///
    /// The result is for comparisons only, not for accesses.
    fileprivate func appendingInherited(_ next: AnyKeyPath) -> AnyKeyPath? {
        guard Value.self is AnyClass, Swift.type(of: next).rootType is AnyClass else { return nil }
        func open<Leaf>(_ leaf: Leaf.Type) -> AnyKeyPath? {
            // SAFETY: `next` starts at a superclass of `Value`, and is used as if it started at `Value`. `appending(path:)` only copies the
            // components of `next`, which the caller keeps alive. The result is only compared with other key paths.
            Unretained<KeyPath<Value, Leaf>>(word: Unretained(next).word).map { unsafe appending(path: $0.object) }
        }
        return _openExistential(Swift.type(of: next).valueType, do: open)
    }
}

/// Only `Optional` conforms, so that a cast to this protocol finds out whether a type is an optional.
private protocol UnwrappableValue {
    static func unwrapping(_ next: AnyKeyPath) -> AnyKeyPath?
}

extension Optional: UnwrappableValue {
    fileprivate static func unwrapping(_ next: AnyKeyPath) -> AnyKeyPath? {
        let unwrap: KeyPath<Wrapped?, Wrapped> = \.self!
        return (unwrap as AnyKeyPath).appending(path: next) ?? unwrap.appendingInherited(next)
    }
}

/// Names from Swift's descriptions of key paths, which are made for people; use them in messages only.
extension AnyKeyPath {
    /// For each component of the key path, its name; nil if Swift describes the component in another way, or if names are unknown.
    var storedNames: [Substring?] {
        components.map { part in
            let name = part.prefix { $0 != "?" && $0 != "!" }
            return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? name : nil
        }
    }

    /// `true` if Swift's description shows that the key path names a single stored property.
    var isKnownToBeStored: Bool {
        let names = storedNames
        return names.count == 1 && names[0] != nil && names[0] != "self"
    }
}
