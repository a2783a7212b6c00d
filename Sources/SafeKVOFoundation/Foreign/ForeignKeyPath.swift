/// A key path, given by name, of an object that belongs to another key-value observing system, such as Cocoa's KVO.
package struct ForeignKeyPath: Hashable, Sendable {
    /// The whole name, as the program wrote it.
    let name: String
    /// The keys of the path, in order; empty if the other system has no name for the path and cannot observe it.
    let keys: [String]

    /// Makes a key path from one key, or from several keys with dots between them.
    package init(_ name: String) {
        self.name = name
        keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// `true` if the other key-value observing system has no name for the key path.
    package var isUnnamed: Bool { keys.isEmpty }

    /// Makes a key path that has no name in the other key-value observing system.
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
    /// Groups of methods; the methods of one group together provide a collection.
    ///
    /// To be read in this way, a class must have all methods of one group.
    package let collections: [[String]]
    /// The names of instance variables.
    package let variables: [String]

    /// Makes the names for a key.
    ///
    /// If the key is not a plain name, there are none.
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
    /// It can convert objects, classes, numbers and structures. It raises an exception for pointers and for methods without a
    /// result. It also raises one for a variable whose type Objective-C does not know, such as a Swift variable without
    /// `@objc`.
    ///
    /// - Parameter typeEncoding: The first character of the type's Objective-C encoding. The encoding of a method begins with
    ///   its result type.
    /// - Returns: `true` if the value can be read.
    package static func isReadable(typeEncoding: CChar?) -> Bool {
        typeEncoding.map { "@#cCsSiIlLqQfdB{".utf8CString.dropLast().contains($0) } ?? false
    }
}
