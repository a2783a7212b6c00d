/// The components of a key path, taken from its description, because Swift cannot split a key path.
///
/// Swift describes a stored property by name. Other components are compared by type only, because the optimiser changes the rest of their
/// description. So different properties may have the same text.
struct KeyPathText {
    let components: [Substring]
    /// Equal descriptions mean the same property, but one property may have several descriptions.
    let descriptions: [Substring]
    private let type: String
    /// `true` if the key path continues after a `?`, as in `\.a?.b`.
    let isOptionalChain: Bool

    init(_ keyPath: AnyKeyPath) {
        var text = Substring("\(keyPath)")
        let root = "\\\(Swift.type(of: keyPath).rootType)."
        text = text.hasPrefix(root) ? text.dropFirst(root.count) : text.drop { $0 != "." }.dropFirst()
        var parts = Self.split(text)
        if parts == ["self"] { parts = [] }
        isOptionalChain = parts.dropLast().contains { $0.last == "?" }
        descriptions = parts.map { part in
            var part = part
            while part.last == "?" || part.last == "!" { part.removeLast() }
            return part
        }
        components = descriptions.map { $0.hasPrefix("<computed") ? $0.drop { $0 != "(" } : $0 }
        type = "(\(Swift.type(of: keyPath).valueType))>"
    }

    /// Returns `true` if the key path has several components and `key` may be one of them, like `b` in `\.a.b`.
    func mayLead(through key: KeyPathText) -> Bool {
        components.count > 1 && components.indices.contains { has(key, at: $0) }
    }

    /// Returns `true` if `key` may be the component at an index, like `b` at index 1 of `\.a.b.c`.
    func has(_ key: KeyPathText, at index: Int) -> Bool {
        if key.components.isEmpty { return false }
        // Swift describes a stored property by name, as in `\Song.rating`. Through a protocol or a superclass, it may give only the type,
        // as in `\Song.<computed 0x10 (Int)>`. So compare types, too.
        return components[index...].starts(with: key.components) || key.components.count == 1 && components[index] == key.type
    }

    private static func split(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var depth = 0
        var last: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            case "<", "(": depth += 1
            // The `>` of `->` closes no bracket.
            case ">" where last != "-", ")": depth -= 1
            case "." where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
            last = character
        }
        parts.append(text[start...])
        return parts
    }
}
