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
