/// The components of a key path, as the runtime describes them: a key path cannot be split.
///
/// A stored property has its name. Of anything else only the type is told: the same property is described in different words where the compiler
/// has optimised a key path to it. So components with the same text need not lead to the same property.
struct KeyPathText {
    let components: [Substring]
    /// The same with all that the description says.
    ///
    /// If two are equal, so are the properties; if not, they may be.
    let descriptions: [Substring]
    /// The type that the key path leads to, as a component of it would be told.
    private let type: String
    /// `true` if the key path goes on only where a value is not nil.
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

    /// `true` if a key may be a hop of the key path.
    func mayLead(through key: KeyPathText) -> Bool {
        components.count > 1 && components.indices.contains { has(key, at: $0) }
    }

    /// `true` if a component, and what follows, may be a key.
    func has(_ key: KeyPathText, at index: Int) -> Bool {
        if key.components.isEmpty { return false }
        // Through a protocol or a superclass a stored property is told like a computed one.
        return components[index...].starts(with: key.components) || key.components.count == 1 && components[index] == key.type
    }

    /// Splits a text at the points that are not inside the name of a type.
    private static func split(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var depth = 0
        var last: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            case "<", "(": depth += 1
            // An arrow is not a bracket.
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
