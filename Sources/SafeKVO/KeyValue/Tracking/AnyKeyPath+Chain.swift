extension AnyKeyPath {
    /// Whether the key path is exactly these, one after the other, with or without a `!` between.
    func isChain(of hops: [AnyKeyPath]) -> Bool {
        guard var whole = hops.last else { return false }
        // From the right: key paths put together from the left do not equal the literal.
        for hop in hops.dropLast().reversed() {
            guard let longer = hop.appendingUnwrapped(whole) else { return false }
            whole = longer
        }
        return whole.isSpelling(of: self)
    }

    /// Puts two key paths together, with a `!` between if that is what is missing.
    private func appendingUnwrapped(_ next: AnyKeyPath) -> AnyKeyPath? {
        if let direct = appending(path: next) { return direct }
        func unwrap<Wrapped>(_ type: Wrapped.Type) -> AnyKeyPath? {
            (\Wrapped?.self! as AnyKeyPath).appending(path: next)
        }
        return _openExistential(type(of: next).rootType, do: unwrap).flatMap { appending(path: $0) }
    }
}
