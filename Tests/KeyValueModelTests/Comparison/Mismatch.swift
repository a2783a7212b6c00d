import KeyValueModel

/// Where a program's two histories part.
struct Mismatch: Error {
    /// The steps up to and including the one that is heard differently.
    var program: [Step]
    let heard: [Call]
    let expected: [Call]
    /// What else differs.
    let remark: String?
}

extension Mismatch: CustomStringConvertible {
    var description: String {
        var lines = program.enumerated().map { "  \($0 + 1). \($1)" }
        lines.append("of the last step were heard")
        lines += heard.isEmpty ? ["  nothing"] : heard.map { "  \($0)" }
        lines.append("and expected")
        lines += expected.isEmpty ? ["  nothing"] : expected.map { "  \($0)" }
        if let remark { lines.append(remark) }
        return lines.joined(separator: "\n")
    }
}
