package import SafeKVO

/// A key-value observing system outside this library, such as Cocoa's.
///
/// Cocoa raises exceptions for wrong calls, so the library keeps these rules:
///
/// - It has at most one registration for each key of each object, and ends it once.
/// - It ends a registration only after it was made, and while the object's memory still exists.
/// - It reads a value only after ``canObserve(_:of:)`` has returned `true`.
package protocol KeyValueSystem: AnyObject, Sendable {
    /// Registers for the changes of a key.
    ///
    /// Before and after each change, the system must call ``ForeignSubject/report(_:of:of:in:)`` on the changing thread. The system must not
    /// read the values.
    func register(_ key: String, of object: AnyObject)

    /// Must not retain the object, which may be in its `deinit`.
    func unregister(_ key: String, of object: AnyObject)

    func canObserve(_ key: String, of object: AnyObject) -> Bool

    func value(of key: String, of object: AnyObject) -> Any?

    /// Converts the other system's ordered collection, such as an `NSArray`, to an array; returns `nil` if `value` is no ordered
    /// collection.
    func elements(of value: Any) -> [Any]?

    func token(of object: AnyObject) -> AnyObject?

    /// Makes an object retain a token, so that `token(of:)` finds the token until the object is deallocated.
    ///
    /// The object must release the token before the object's memory can be reused. Only one thread at a time calls this function.
    func tie(_ token: AnyObject, to object: AnyObject)
}

/// A change that another key-value observing system reports, before it is made and after.
package struct ForeignChange: Sendable {
    let isPrior: Bool
    private let kind: KeyValueChangeKind
    private let indexes: RangeSet<Int>?

    package init(kind: KeyValueChangeKind, indexes: RangeSet<Int>?, isPrior: Bool) {
        self.kind = kind
        self.indexes = indexes
        self.isPrior = isPrior
    }

    /// The announced change of elements of an ordered collection, or of members of a set; `nil` if the whole value is set.
    func announced(in system: any KeyValueSystem) -> AnnouncedChange<ForeignValue>? {
        if kind == .setting { return nil }
        if let indexes {
            return AnnouncedChange<[Any]>.elements(kind, at: indexes)
                .wrapped({ ForeignValue(value: $0) }) { $0.value.flatMap { system.elements(of: $0) } }
        }
        return AnnouncedChange<Set<AnyHashable>>.members(kind).wrapped({ ForeignValue(value: $0) }) { $0.value as? Set<AnyHashable> }
    }
}
