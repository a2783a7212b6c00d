/// A key path by name, of an object of another system.
package struct ForeignKeyPath: Hashable, Sendable {
    /// The whole, as it was written.
    let name: String
    /// The keys on the way; none if the system cannot observe it.
    let keys: [String]

    /// A key path of one key, or of several with dots between.
    package init(_ name: String) {
        self.name = name
        keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether the system has no name for the key path.
    package var isUnnamed: Bool { keys.isEmpty }

    /// A key path that the system has no name for.
    package init(unnamed keyPath: AnyKeyPath) {
        name = "\(keyPath)"
        keys = []
    }
}

/// What Cocoa's `value(forKey:)` looks for in a class: one of these, or else it raises.
package struct KeyValueCodingNames: Equatable {
    /// Methods that return the value.
    package let accessors: [String]
    /// Methods that make up a collection; of each line all must be there.
    package let collections: [[String]]
    /// Instance variables.
    package let variables: [String]

    /// The names for a key; none for one that is no name.
    package init(_ key: String) {
        guard let first = key.first, first != "@", !key.contains(".") else {
            (accessors, collections, variables) = ([], [], [])
            return
        }
        let capital = first.uppercased() + key.dropFirst()
        accessors = ["get\(capital)", key, "is\(capital)", "_get\(capital)", "_\(key)"]
        collections = [
            ["countOf\(capital)", "objectIn\(capital)AtIndex:"], ["countOf\(capital)", "\(key)AtIndexes:"],
            ["countOf\(capital)", "enumeratorOf\(capital)", "memberOf\(capital):"],
        ]
        variables = ["_\(key)", "_is\(capital)", key, "is\(capital)"]
    }

    /// Whether Cocoa makes an object of a value: of objects, classes, numbers and structures.
    ///
    /// It raises for a method that returns nothing, for pointers, and for a variable whose type Objective-C does not know, as are all of Swift that
    /// are not `@objc`.
    ///
    /// - Parameter typeEncoding: The first character of the encoding of the type, or of a method's, which begins with what it returns.
    /// - Returns: whether it can be read.
    package static func isReadable(typeEncoding: CChar?) -> Bool {
        typeEncoding.map { "@#cCsSiIlLqQfdB{".utf8CString.dropLast().contains($0) } ?? false
    }
}
