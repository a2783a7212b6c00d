/// Names from Swift's descriptions of key paths, which are made for people; use them in messages only.
extension AnyKeyPath {
    /// For each component of the key path, its name; nil if Swift describes the component in another way, or if names are unknown.
    ///
    /// Swift knows the names of stored properties only. `@Observed` and overridable properties count as computed.
    var storedNames: [Substring?] {
        var depth = 0
        var last: Character = " "
        // What stands in brackets may contain dots, so leave it out.
        let plain = "\(self)".filter { character in
            // The `>` of `->` closes no bracket.
            if character == ">" && last != "-" || character == ")" { depth -= 1 }
            defer { last = character }
            if character == "<" || character == "(" { depth += 1 }
            return depth == 0
        }
        return plain.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map { part in
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
