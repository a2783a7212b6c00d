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

extension Mismatch {
    /// The observations that are told differently.
    private var concerned: Set<Int> {
        let ids = Set((heard + expected).map(\.observation))
        return ids.filter { id in heard.filter { $0.observation == id } != expected.filter { $0.observation == id } }
    }

    /// Whether this may be what is wrong in the other, and not something else that happens to be wrong too.
    func isLike(_ other: Mismatch) -> Bool {
        guard let last = program.last, let otherLast = other.program.last else { return false }
        return concerned.isSubset(of: other.concerned) && (last.sort == otherLast.sort || !otherLast.body.isEmpty)
    }
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
