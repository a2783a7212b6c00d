extension AnyKeyPath {
    /// Whether the key path is exactly these, one after the other, with or without a `!` between.
    func isChain(of hops: [AnyKeyPath]) -> Bool { Self.chain(of: hops)?.isSpelling(of: self) ?? false }

    /// Puts key paths together, with a `!` between where that is missing; nil if the types do not fit.
    static func chain(of hops: [AnyKeyPath]) -> AnyKeyPath? {
        guard var whole = hops.last else { return nil }
        // From the right: key paths put together from the left do not equal the literal.
        for hop in hops.dropLast().reversed() {
            guard let longer = hop.appendingHop(whole) else { return nil }
            whole = longer
        }
        return whole
    }

    /// `true` if a key path begins with the very type that this one leads to, or with what that is an optional of.
    func leadsExactly(to next: AnyKeyPath) -> Bool {
        let value = type(of: self).valueType
        return type(of: next).rootType == (value as? any UnwrappableValue.Type)?.wrapped ?? value
    }

    /// Puts two key paths together, with a `!` between if that is what is missing, also if the second was written in a superclass of what the
    /// first leads to.
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
    /// Puts a key path behind this one that was written in a superclass of what this one leads to; for comparing only.
    fileprivate func appendingInherited(_ next: AnyKeyPath) -> AnyKeyPath? {
        guard Value.self is AnyClass, Swift.type(of: next).rootType is AnyClass else { return nil }
        func open<Leaf>(_ leaf: Leaf.Type) -> AnyKeyPath? {
            // SAFETY: the key path's class is taken for that of a key path from `Value`, for appending it only, which copies its components
            // and looks at no object.
            Unretained<KeyPath<Value, Leaf>>(word: Unretained(next).word).map { unsafe appending(path: $0.object) }
        }
        return _openExistential(Swift.type(of: next).valueType, do: open)
    }
}

/// An optional, whose key path `!` can be formed.
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
    /// Whether it is one step, to a stored property.
    ///
    /// That is told of what is not `@Observed` and cannot be overridden; anything else looks like a computed property.
    var isKnownToBeStored: Bool {
        let name = "\(self)".dropFirst("\\\(Self.rootType).".count)
        return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
