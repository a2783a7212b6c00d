/// A key path in another key-value observing system, such as Cocoa's KVO.
package struct ForeignKeyPath: Hashable, Sendable {
    let name: String
    /// The keys of the name, in order; empty for a key path without a name, which cannot be observed.
    let keys: [String]

    /// Makes a key path from a name: one key, or several keys with dots between them.
    package init(_ name: String) {
        self.name = name
        keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    package var isUnnamed: Bool { keys.isEmpty }

    /// Makes a key path that has no name, because Objective-C does not know one of its properties.
    package init(unnamed keyPath: AnyKeyPath) {
        name = "\(keyPath)"
        keys = []
    }
}

/// The names that Cocoa's `value(forKey:)` looks up in a class for one key.
///
/// If a class has none of them, `value(forKey:)` raises an exception.
package struct KeyValueCodingNames: Equatable {
    package let accessors: [String]
    /// Groups of method names; a class that has all methods of one group provides the key's value as a collection.
    package let collections: [[String]]
    package let variables: [String]

    /// Makes the names for a key; an empty key, or one that contains a dot or begins with `@`, has no names.
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

    /// Returns `true` if `value(forKey:)` can convert values of a type to objects; for other types, it raises an exception.
    ///
    /// Pointers, methods without a result and types that Objective-C does not know cannot be converted. `typeEncoding` is the first
    /// character of the type's Objective-C encoding. The encoding of a method begins with its result type.
    package static func isReadable(typeEncoding: CChar?) -> Bool {
        typeEncoding.map { "@#cCsSiIlLqQfdB{".utf8CString.dropLast().contains($0) } ?? false
    }
}
