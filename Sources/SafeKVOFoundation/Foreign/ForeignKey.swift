internal import CSafeKVO
internal import SafeKVO

/// A key of an object that belongs to another key-value observing system.
final class ForeignKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the lock of `subject` protects the variables. All else is constant.

    let name: String
    /// The number that stands for the key where others have the offset of a property.
    let number: UInt
    let keyPath: ReferenceWritableKeyPath<ForeignSubject, ForeignValue>
    weak let subject: ForeignSubject?
    // SAFETY: the list owns this key, and the record of `subject` owns the list.
    let list: Unretained<ObserverList>

    /// The number of observers, and of key paths that depend on the key.
    var observers = 0
    var isRegistered = false
    /// The changes that the other system has announced and not yet completed.
    private var changes: [(thread: UInt, part: AnnouncementPart)] = []

    init(
        _ name: String, _ number: UInt, _ keyPath: ReferenceWritableKeyPath<ForeignSubject, ForeignValue>, of subject: ForeignSubject,
        _ list: Unretained<ObserverList>
    ) {
        (self.name, self.number, self.keyPath, self.subject, self.list) = (name, number, keyPath, subject, list)
    }

    var listName: String? { name }

    var infos: [ObservationInfo] { unsafe list.with { $0.infos() } }

    func numberChange() -> UInt64 { unsafe list.with { $0.numberChange() } }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        // A path needs the old value: the object to which the key leads must live until the path has left it.
        if info.isDependency { list.count(.oldValue, by: 1) }
        subject?.count(self, 1)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if info.isDependency { list.count(.oldValue, by: -1) }
        subject?.count(self, -1)
    }

    /// Notes the beginning of a change on this thread; returns its oldest one if there are too many without an end.
    ///
    /// Without a registration, no end will be reported.
    func open(_ part: AnnouncementPart) -> AnnouncementPart? {
        if !isRegistered { return part }
        let thread = safekvo_thread()
        changes.append((thread, part))
        let mine = changes.indices.filter { changes[$0].thread == thread }
        return mine.count > 64 ? changes.remove(at: mine[0]).part : nil
    }

    /// Forgets all changes; the caller releases them without the lock.
    func takeChanges() -> [AnnouncementPart] {
        defer { changes = [] }
        return changes.map(\.part)
    }

    func takeOpen() -> AnnouncementPart? {
        let thread = safekvo_thread()
        return changes.lastIndex { $0.thread == thread }.map { changes.remove(at: $0).part }
    }
}

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
