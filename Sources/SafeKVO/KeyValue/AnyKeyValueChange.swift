/// A change of a key path whose type is not known: what an observer of several key paths is told.
///
/// ```swift
/// if let change = change.typed(as: \WallClock.date) { show(change.newValue) }
/// ```
public struct AnyKeyValueChange {
    /// What sort of change it is.
    public let kind: KeyValueChangeKind
    /// Whether the call comes before the change.
    public let isPrior: Bool
    /// Whether the call tells the state at registration.
    public let isInitial: Bool
    /// The value after the change, if asked for.
    ///
    /// Of an optional property that became nil it is present, and holds an empty optional.
    public let newValue: Any?
    /// The value before the change, if asked for.
    public let oldValue: Any?
    /// The positions of the elements of a collection that were inserted, removed or replaced.
    public let indexes: RangeSet<Int>?
    /// The key path as it was given to `observe`.
    public var keyPath: AnyKeyPath? { KeyValueChange<Any>.keyPath(of: origin) }
    /// The name of the observed property, as it is declared; see ``KeyValueChange/propertyName``.
    public var propertyName: String? { KeyValueChange<Any>.propertyName(of: origin) }
    /// The info, or the key path; as that of a change with a type.
    private let origin: AnyObject?

    /// Makes a change without the type of one that has it.
    public init<Value>(_ change: KeyValueChange<Value>) {
        kind = change.kind
        isPrior = change.isPrior
        isInitial = change.isInitial
        newValue = change.newValue.map { $0 as Any }
        oldValue = change.oldValue.map { $0 as Any }
        indexes = change.indexes
        origin = change.origin
    }

    /// The change with its type, if it is one of this key path.
    ///
    /// - Parameter keyPath: A key path that was observed, as it was written.
    /// - Returns: the change, or nil if another key path changed.
    public func typed<Root, Value>(as keyPath: KeyPath<Root, Value>) -> KeyValueChange<Value>? {
        guard self.keyPath == keyPath else { return nil }
        return KeyValueChange(
            kind: kind, newValue: newValue.flatMap { $0 as? Value }, oldValue: oldValue.flatMap { $0 as? Value }, indexes: indexes,
            isPrior: isPrior,
            isInitial: isInitial, keyPath: keyPath)
    }
}

extension AnyKeyValueChange: CustomStringConvertible {
    /// What the change says, without what it does not, with the name of the property if that is known.
    public var description: String {
        let parts = Self.parts(propertyName, kind, isInitial, isPrior, oldValue, newValue, indexes)
        return "AnyKeyValueChange(" + parts.joined(separator: ", ") + ")"
    }

    /// What a change says, part by part.
    static func parts(
        _ name: String?, _ kind: KeyValueChangeKind, _ isInitial: Bool, _ isPrior: Bool, _ oldValue: Any?, _ newValue: Any?,
        _ indexes: RangeSet<Int>?
    ) -> [String] {
        var parts = [name, "\(kind)"].compactMap { $0 }
        if isInitial { parts.append("initial") }
        if isPrior { parts.append("prior") }
        if let oldValue { parts.append("old \(oldValue)") }
        if let newValue { parts.append("new \(newValue)") }
        if let indexes { parts.append("indexes \(indexes)") }
        return parts
    }
}
