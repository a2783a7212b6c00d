/// What an observer is told about one change of one key path.
///
/// Each observer gets what its own options ask for; what was not asked for is absent. For a property that is itself optional, absent
/// (`newValue == nil`) and present but nil (`newValue == .some(nil)`) are different things.
///
/// A change is a value: once handed out it never changes, and it may be kept.
public struct KeyValueChange<Value> {
    /// The kinds of changes.
    public typealias Kind = KeyValueChangeKind

    /// What sort of change it is.
    public let kind: Kind
    /// Whether the call comes before the change (``KeyValueObservingOptions/prior``).
    public let isPrior: Bool
    /// Whether the call tells the state at registration (``KeyValueObservingOptions/initial``).
    public let isInitial: Bool
    /// The value after the change, if asked for; of an insertion or a replacement, the new elements.
    public let newValue: Value?
    /// The value before the change, if asked for; of a removal or a replacement, the old elements.
    public let oldValue: Value?
    /// The positions of the elements that were inserted, removed or replaced.
    public var indexes: RangeSet<Int>? { elements?.indexes }
    @usableFromInline let elements: ElementsChange?

    /// The info, which knows the key path and releases all else when the observation ends; or the key path.
    ///
    /// A key path that is a literal is one object for the whole program. Threads that retained it with each change would slow each other down.
    @usableFromInline let origin: AnyObject?

    /// Makes a change, as a test of an observer's method does.
    public init(
        kind: Kind = .setting, newValue: Value? = nil, oldValue: Value? = nil, indexes: RangeSet<Int>? = nil, isPrior: Bool = false,
        isInitial: Bool = false, keyPath: AnyKeyPath? = nil
    ) {
        self.kind = kind
        self.isPrior = isPrior
        self.isInitial = isInitial
        self.newValue = newValue
        self.oldValue = oldValue
        elements = indexes.map { ElementsChange(indexes: $0, isEmpty: $0.isEmpty) }
        origin = keyPath
    }

    /// The change as one observer asked to hear of it.
    @inlinable
    init(_ event: UnsafePointer<KeyValueEvent<Value>>, for info: ObservationInfo) {
        kind = unsafe event.pointee.header.kind
        isPrior = unsafe event.pointee.header.phase == .prior
        isInitial = unsafe event.pointee.header.phase == .initial
        newValue = info.flags.contains(.newValue) && !isPrior ? unsafe event.pointee.new : nil
        oldValue = info.flags.contains(.oldValue) && !isInitial ? unsafe event.pointee.old : nil
        elements = unsafe event.pointee.header.elements
        origin = info
    }

    /// The key path as it was given to `observe`.
    public var keyPath: AnyKeyPath? { Self.keyPath(of: origin) }

    /// The name of the observed property, as it is declared.
    ///
    /// A key path does not print the name of an ``Observed`` property; this is for logs. The value is nil if the key path is computed or leads
    /// through other objects, and once the observation has ended.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stored properties of the object.
    public var propertyName: String? { Self.propertyName(of: origin) }

    static func keyPath(of origin: AnyObject?) -> AnyKeyPath? { (origin as? ObservationInfo)?.keyPath ?? origin as? AnyKeyPath }

    static func propertyName(of origin: AnyObject?) -> String? {
        guard let info = origin as? ObservationInfo else { return nil }
        return info.ifKept { info.withList { $0.propertyName } } ?? nil
    }
}

// SAFETY: everything in it is immutable. The key path may hold arguments of a subscript that are not `Sendable`; the change offers it for
// comparing only.
extension KeyValueChange: @unchecked Sendable where Value: Sendable {}

extension KeyValueChange: CustomStringConvertible {
    /// What the change says, without what it does not, with the name of the property if that is known.
    public var description: String {
        let parts = AnyKeyValueChange.parts(
            propertyName, kind, isInitial, isPrior, oldValue.map { $0 as Any }, newValue.map { $0 as Any }, indexes)
        return "KeyValueChange(" + parts.joined(separator: ", ") + ")"
    }
}

extension KeyValueChange: Equatable where Value: Equatable {
    /// Whether two changes tell the same about the same key path.
    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.isPrior == right.isPrior && left.isInitial == right.isInitial
            && left.newValue == right.newValue && left.oldValue == right.oldValue && left.indexes == right.indexes
            && left.keyPath == right.keyPath
    }
}

/// The kinds of changes.
public enum KeyValueChangeKind: UInt8, Sendable {
    /// The whole value was set, or may have been changed in place.
    case setting
    /// Elements were inserted into a collection.
    case insertion
    /// Elements were removed from a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}

/// Which elements of a collection a change is about.
@usableFromInline
package final class ElementsChange: Sendable {
    /// Their positions; nil if the collection has none.
    @usableFromInline let indexes: RangeSet<Int>?
    /// Whether there are none, so that the change changes nothing.
    @usableFromInline let isEmpty: Bool

    package init(indexes: RangeSet<Int>?, isEmpty: Bool) {
        self.indexes = indexes
        self.isEmpty = isEmpty
    }
}
