internal import CSafeKVO

extension ObserverList {
    /// The name of what the list is about, for people: of a property, or what a key path tells of itself.
    var name: String {
        PropertyName.name(of: record.subjectType, property) ?? keyPath.map { Self.withoutRoot("\($0)") } ?? title ?? "events"
    }

    /// A key path without the type that it begins with, which is told elsewhere.
    static func withoutRoot(_ keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
    }
}
