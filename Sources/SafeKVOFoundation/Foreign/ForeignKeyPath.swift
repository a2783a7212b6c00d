/// A key path in another key-value observing system, such as Cocoa's KVO.
package struct ForeignKeyPath: Hashable, Sendable {
    let name: String
    /// The parts of `name` between the dots; empty for a key path without a name, which cannot be observed.
    let keys: [String]

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
/// If a class has none of these names, `value(forKey:)` raises an exception.
package struct KeyValueCodingNames: Equatable {
    package let accessors: [String]
    /// Each inner array names the methods with which a class provides the value as a collection.
    package let collections: [[String]]
    package let variables: [String]

    /// Derives from a key the names of the accessors, collection methods and instance variables that Cocoa looks up.
    ///
    /// The result is empty for a key that is empty, contains a dot or begins with `@`.
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

    /// Returns `true` if `value(forKey:)` can read a value with this Objective-C type encoding.
    ///
    /// For any other type, `value(forKey:)` raises an exception.
    package static func isReadable(typeEncoding: CChar?) -> Bool {
        typeEncoding.map { "@#cCsSiIlLqQfdB{".utf8CString.dropLast().contains($0) } ?? false
    }
}
