/// A key path, given by name, of an object that belongs to another key-value observing system, such as Cocoa's KVO.
package struct ForeignKeyPath: Hashable, Sendable {
    /// The whole name; for a key path without a name, its description.
    let name: String
    /// The keys of the path, in order; empty if the key path has no name, so that it cannot be observed.
    let keys: [String]

    /// Makes a key path from one key, or from several keys with dots between them.
    package init(_ name: String) {
        self.name = name
        keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    package var isUnnamed: Bool { keys.isEmpty }

    /// Makes a key path without a name, because Objective-C does not know one of its properties.
    package init(unnamed keyPath: AnyKeyPath) {
        name = "\(keyPath)"
        keys = []
    }
}

/// The names that Cocoa's `value(forKey:)` looks up in a class for one key.
///
/// If a class has none of them, `value(forKey:)` raises an exception.
package struct KeyValueCodingNames: Equatable {
    /// The names of methods that return the value.
    package let accessors: [String]
    /// Groups of methods; a class that has all methods of one group provides the value as a collection.
    package let collections: [[String]]
    /// The names of instance variables.
    package let variables: [String]

    /// Makes the names for a key.
    ///
    /// If the key is empty, contains a dot or begins with `@`, there are no names.
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

    /// Returns `true` if `value(forKey:)` can convert a value of a type to an object.
    ///
    /// Objects, classes, numbers and structures can be converted. `value(forKey:)` raises an exception for pointers and for
    /// methods without a result. It also raises one for a variable whose type Objective-C does not know, such as a Swift variable
    /// without `@objc`.
    ///
    /// - Parameter typeEncoding: The first character of the type's Objective-C encoding. The encoding of a method begins with its
    ///   result type.
    /// - Returns: `true` if the value can be read.
    package static func isReadable(typeEncoding: CChar?) -> Bool {
        typeEncoding.map { "@#cCsSiIlLqQfdB{".utf8CString.dropLast().contains($0) } ?? false
    }
}
