extension AnyKeyPath {
    /// Whether it is one step, to a stored property.
    ///
    /// That is told of what is not `@Observed` and cannot be overridden; anything else looks like a computed property.
    var isKnownToBeStored: Bool {
        let name = "\(self)".dropFirst("\\\(Self.rootType).".count)
        return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
