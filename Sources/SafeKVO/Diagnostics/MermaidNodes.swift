/// The objects of a flow chart, each with a name for the chart and a text for people.
struct MermaidNodes {
    private struct Node: Hashable {
        let object: ObjectIdentifier
        /// What is left of an observer that is gone is not what is at its address now.
        let isGone: Bool
    }

    private var names: [Node: String] = [:]
    private var counts: [String: Int] = [:]
    /// The lines that declare them.
    private(set) var lines: [String] = []

    /// The name of an object in the chart.
    mutating func name(of object: ObjectIdentifier, _ type: String, isGone: Bool = false) -> String {
        let node = Node(object: object, isGone: isGone)
        if let name = names[node] { return name }
        let name = "n\(names.count)"
        names[node] = name
        let count = (counts[type] ?? 0) + 1
        counts[type] = count
        let title = (count == 1 ? type : "\(type) \(count)") + (isGone ? ", gone" : "")
        lines.append("    \(name)[\(Self.text(title))]")
        return name
    }

    /// A text in quotation marks, of which every character stands for itself.
    static func text(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "#": escaped += "#35;"
            case "\"": escaped += "#quot;"
            case "<": escaped += "#lt;"
            case ">": escaped += "#gt;"
            case "&": escaped += "#amp;"
            case "`": escaped += "#96;"
            case _ where character.isNewline: escaped += " "
            default: escaped.append(character)
            }
        }
        return "\"\(escaped)\""
    }
}
