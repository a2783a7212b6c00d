extension AnyKeyPath {
    /// Returns `true` if this key path consists of exactly the given key paths, one after the other.
    ///
    /// A `!` between two of them makes no difference.
    func isChain(of hops: [AnyKeyPath]) -> Bool { Self.chain(of: hops)?.isSpelling(of: self) ?? false }

    /// Returns the given key paths joined together, with a `!` where an optional must be unwrapped; nil if the types do not fit.
    static func chain(of hops: [AnyKeyPath]) -> AnyKeyPath? {
        guard var whole = hops.last else { return nil }
        // Key paths are joined from the right, because key paths that are joined from the left do not equal the literal.
        for hop in hops.dropLast().reversed() {
            guard let longer = hop.appendingHop(whole) else { return nil }
            whole = longer
        }
        return whole
    }

    /// Returns `true` if the next key path starts at exactly this one's value type, or at the type that it wraps as an optional.
    func leadsExactly(to next: AnyKeyPath) -> Bool {
        let value = type(of: self).valueType
        return type(of: next).rootType == (value as? any UnwrappableValue.Type)?.wrapped ?? value
    }

    /// Appends a key path, with a `!` in between if this one's value is optional.
    ///
    /// The appended key path may start at a superclass of this one's value.
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
    /// Appends a key path that starts at a superclass of this one's value.
    ///
    /// The result is only good for comparing.
    fileprivate func appendingInherited(_ next: AnyKeyPath) -> AnyKeyPath? {
        guard Value.self is AnyClass, Swift.type(of: next).rootType is AnyClass else { return nil }
        func open<Leaf>(_ leaf: Leaf.Type) -> AnyKeyPath? {
            // SAFETY: this treats the key path as one that starts at `Value`. `appending(path:)` copies its components and accesses no
            // object, and the result is only compared.
            Unretained<KeyPath<Value, Leaf>>(word: Unretained(next).word).map { unsafe appending(path: $0.object) }
        }
        return _openExistential(Swift.type(of: next).valueType, do: open)
    }
}

/// An optional type, whose values a key path can unwrap with `!`.
private protocol UnwrappableValue {
    static var wrapped: Any.Type { get }
    static func unwrapping(_ next: AnyKeyPath) -> AnyKeyPath?
}

extension Optional: UnwrappableValue {
    fileprivate static var wrapped: Any.Type { Wrapped.self }

    fileprivate static func unwrapping(_ next: AnyKeyPath) -> AnyKeyPath? {
        let unwrap: KeyPath<Wrapped?, Wrapped> = \.self!
        return (unwrap as AnyKeyPath).appending(path: next) ?? unwrap.appendingInherited(next)
    }
}

extension AnyKeyPath {
    /// `true` if the key path is a single component that is certainly a stored property.
    ///
    /// The description of a key path shows this only for a property that is not `@Observed` and cannot be overridden. It describes every
    /// other property like a computed one.
    var isKnownToBeStored: Bool {
        let name = "\(self)".dropFirst("\\\(Self.rootType).".count)
        return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
