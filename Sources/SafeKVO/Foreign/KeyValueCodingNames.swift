/// What Cocoa's `value(forKey:)` looks for in a class: one of these, or else it raises.
package struct KeyValueCodingNames: Equatable {
    /// Methods; of each line all must be there.
    package let accessors: [[String]]
    /// Instance variables.
    package let variables: [String]

    /// The names for a key; none for one that is no name.
    package init(_ key: String) {
        guard let first = key.first, first != "@", !key.contains(".") else {
            (accessors, variables) = ([], [])
            return
        }
        let capital = first.uppercased() + key.dropFirst()
        accessors =
            ["get\(capital)", key, "is\(capital)", "_get\(capital)", "_\(key)"].map { [$0] } + [
                ["countOf\(capital)", "objectIn\(capital)AtIndex:"], ["countOf\(capital)", "\(key)AtIndexes:"],
                ["countOf\(capital)", "enumeratorOf\(capital)", "memberOf\(capital):"],
            ]
        variables = ["_\(key)", "_is\(capital)", key, "is\(capital)"]
    }
}
