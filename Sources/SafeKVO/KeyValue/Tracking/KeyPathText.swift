/// The components of a key path, as the runtime describes them: a key path cannot be split.
///
/// A stored property has its name. Of anything else only the type is told: the same property is described in different words where the compiler
/// has optimised a key path to it. So components with the same text need not lead to the same property.
struct KeyPathText {
    let components: [Substring]
    /// `true` if the key path goes on only where a value is not nil.
    let isOptionalChain: Bool

    init(_ keyPath: AnyKeyPath) {
        var text = Substring("\(keyPath)")
        let root = "\\\(type(of: keyPath).rootType)."
        text = text.hasPrefix(root) ? text.dropFirst(root.count) : text.drop { $0 != "." }.dropFirst()
        var parts = Self.split(text)
        if parts == ["self"] { parts = [] }
        isOptionalChain = parts.dropLast().contains { $0.last == "?" }
        components = parts.map { part in
            var part = part
            while part.last == "?" || part.last == "!" { part.removeLast() }
            return part.hasPrefix("<computed") ? part.drop { $0 != "(" } : part
        }
    }

    /// `true` if a key may be a hop of the key path.
    func mayLead(through key: KeyPathText) -> Bool {
        components.count > 1 && key.components.first.map(components.contains) ?? false
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
