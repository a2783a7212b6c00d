/// A change of a key path whose value type is erased, for observers of several key paths.
///
/// ```swift
/// if let change = change.typed(as: \WallClock.date) { show(change.newValue) }
/// ```
public struct AnyKeyValueChange {
    /// The kind of the change: a setting, an insertion, a removal or a replacement.
    public let kind: KeyValueChangeKind
    /// `true` if the handler is called before the change.
    public let isPrior: Bool
    /// `true` if the call delivers the state at registration.
    public let isInitial: Bool
    /// The value after the change, if the options include ``KeyValueObservingOptions/new``.
    ///
    /// If an optional property became nil, this value is present and holds an empty optional.
    public let newValue: Any?
    /// The value before the change, if the options include ``KeyValueObservingOptions/old``.
    public let oldValue: Any?
    /// The positions of the elements that were inserted, removed or replaced.
    ///
    /// It is nil for a setting, and for a change of a set, whose elements have no positions.
    public let indexes: RangeSet<Int>?
    /// The key path as it was given to `observe`.
    public var keyPath: AnyKeyPath? { KeyValueChange<Any>.keyPath(of: origin) }
    /// The name of the observed property in its declaration, for logs.
    ///
    /// The value is nil if the key path is computed or leads through other objects. It is also nil when the observation has ended.
    public var propertyName: String? { KeyValueChange<Any>.propertyName(of: origin) }
    /// The object that knows the key path.
    ///
    /// In a delivered change, this is the info of the observation (the object for one registration). In a change that the program made
    /// itself, it is the key path.
    private let origin: AnyObject?

    /// Makes a change without a value type from a typed change.
    public init<Value>(_ change: KeyValueChange<Value>) {
        kind = change.kind
        isPrior = change.isPrior
        isInitial = change.isInitial
        newValue = change.newValue.map { $0 as Any }
        oldValue = change.oldValue.map { $0 as Any }
        indexes = change.indexes
        origin = change.origin
    }

    /// Returns the change with its value type, if it is a change of the given key path.
    ///
    /// - Parameter keyPath: A key path that was passed to `observe`, written in the same way.
    /// - Returns: the typed change, or nil if this is a change of another key path.
    public func typed<Root, Value>(as keyPath: KeyPath<Root, Value>) -> KeyValueChange<Value>? {
        guard self.keyPath == keyPath else { return nil }
        return KeyValueChange(
            kind: kind, newValue: newValue.flatMap { $0 as? Value }, oldValue: oldValue.flatMap { $0 as? Value }, indexes: indexes,
            isPrior: isPrior,
            isInitial: isInitial, keyPath: keyPath)
    }
}

extension AnyKeyValueChange: CustomStringConvertible {
    /// A text with the name of the property, if it is known, and the parts that the change has.
    public var description: String {
        let parts = Self.parts(propertyName, kind, isInitial, isPrior, oldValue, newValue, indexes)
        return "AnyKeyValueChange(" + parts.joined(separator: ", ") + ")"
    }

    /// Returns the texts of the parts that a change has.
    ///
    /// Parts that are absent are left out.
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
