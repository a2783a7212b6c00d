internal import CSafeKVO

enum PropertyName {
    /// Finds the declared name of a stored property.
    ///
    /// `property` is the offset of the property in the objects of the class, or 0 for a key without storage. Returns `nil` for 0, and if
    /// the runtime knows no name.
    static func name(of type: AnyClass, _ property: UInt) -> String? {
        guard property != 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: A class object is never deallocated. `safekvo_property_name` writes at most `buffer.count` bytes. If it
            // returns `true`, the name ends with a zero byte.
            let type = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, property, name, buffer.count) else { return nil }
            let full = unsafe String(cString: name)
            // A property wrapper stores its value in a property whose name begins with an underscore.
            return full.hasPrefix("_") ? String(full.dropFirst()) : full
        }
    }
}

extension ObserverList {
    var propertyName: String? { PropertyName.name(of: record.subjectType, property) }

    /// The name of the key for people, in messages and diagnostics, for example `title` or `current.title`.
    package var name: String { title ?? plainName }

    /// The name of the key, without what the key path of a computed property reads.
    var plainName: String { propertyName ?? keyPath?.text ?? "events" }

    /// For example `Song.title`.
    package var qualifiedName: String { "\(record.subjectType).\(name)" }
}

/// Swift's description of a key path, which is made for people; use it in messages only.
extension AnyKeyPath {
    /// The key path without its root and without addresses, for example `song.title` or `<computed (Song)>.title`.
    package var text: String { text(naming: []) }

    /// The key path with names instead of the first components that Swift cannot name.
    func text(naming names: [String]) -> String {
        var names = names[...]
        return components.map { part in
            guard part.isUnnamed, let name = names.popFirst() else { return part }
            return name + part.reversed().prefix { $0 == "?" || $0 == "!" }
        }.joined(separator: ".")
    }

    /// The components of the key path: a name, or another description such as `<computed (Song)>`.
    ///
    /// Swift knows the names of stored properties only. `@Observed` and overridable properties count as computed. A component ends with `?` or
    /// `!` if the key path has that sign there.
    var components: [String] {
        var depth = 0
        var last: Character = " "
        var parts = [""]
        for character in "\(self)" {
            // The `>` of `->` closes no bracket.
            if character == ">" && last != "-" || character == ")" { depth -= 1 }
            if character == "<" || character == "(" { depth += 1 }
            // The text in brackets may contain dots.
            if character == "." && depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
            last = character
        }
        var components = parts.dropFirst().map(Self.withoutAddress)
        // Swift marks the end of a key path with `?`, as the `?` at its end.
        while components.last?.hasSuffix("?") ?? false { components[components.count - 1].removeLast() }
        return components
    }

    private static func withoutAddress(_ component: String) -> String {
        guard let start = component.firstRange(of: " 0x") else { return component }
        return String(component[..<start.lowerBound] + component[start.upperBound...].drop { $0.isHexDigit })
    }
}

extension String {
    /// `true` for a component of a key path whose name Swift does not know.
    var isUnnamed: Bool { hasPrefix("<") }
}
