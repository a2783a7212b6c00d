/// One change of one key path, as one observer receives it.
///
/// Each observer receives what its own options ask for; everything else is absent. If the property itself is optional, an absent value
/// (`newValue == nil`) and a present value that is nil (`newValue == .some(nil)`) are different.
///
/// A change is a value. It never changes after its delivery, and the observer may keep it.
public struct KeyValueChange<Value> {
    /// The kind of a change: a setting, an insertion, a removal or a replacement.
    public typealias Kind = KeyValueChangeKind

    /// The kind of this change.
    public let kind: Kind
    /// `true` if the handler is called before the change (``KeyValueObservingOptions/prior``).
    public let isPrior: Bool
    /// `true` if the call delivers the state at registration (``KeyValueObservingOptions/initial``).
    public let isInitial: Bool
    /// The value after the change, if the options include ``KeyValueObservingOptions/new``.
    ///
    /// For an insertion or a replacement, this contains the new elements only.
    public let newValue: Value?
    /// The value before the change, if the options include ``KeyValueObservingOptions/old``.
    ///
    /// For a removal or a replacement, this contains the old elements only.
    public let oldValue: Value?
    /// The positions of the elements that were inserted, removed or replaced.
    ///
    /// It is nil for a setting, and for a change of a set, whose elements have no positions.
    public var indexes: RangeSet<Int>? { elements?.indexes }
    @usableFromInline let elements: ElementsChange?

    /// The object that knows the key path.
    ///
    /// In a delivered change, this is the info of the observation (the object for one registration). In a change that the program made
    /// itself, it is the key path.
    ///
    /// A key path literal is one object for the whole program. If every change retained it, threads would slow each other down. So a change
    /// retains the info instead. When the observation ends, the info releases its handler and the observed object, but keeps the key path.
    @usableFromInline let origin: AnyObject?

    /// Makes a change, for example to test a method that takes one.
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

    /// Makes the change that an observer receives: the parts of the event that its options ask for.
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

    /// The name of the observed property in its declaration, for logs.
    ///
    /// A key path does not print the name of an ``Observed`` property, so use this. The value is nil if the key path is computed or leads
    /// through other objects. It is also nil when the observation has ended.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stored properties of the object.
    public var propertyName: String? { Self.propertyName(of: origin) }

    static func keyPath(of origin: AnyObject?) -> AnyKeyPath? { (origin as? ObservationInfo)?.keyPath ?? origin as? AnyKeyPath }

    static func propertyName(of origin: AnyObject?) -> String? {
        guard let info = origin as? ObservationInfo else { return nil }
        return info.ifKept { info.withList { $0.propertyName } } ?? nil
    }
}

// SAFETY: everything in a change is immutable. The key path may hold subscript arguments that are not `Sendable`, but the change offers the
// key path only for comparison.
extension KeyValueChange: @unchecked Sendable where Value: Sendable {}

extension KeyValueChange: CustomStringConvertible {
    /// A text with the name of the property, if it is known, and the parts that the change has.
    public var description: String {
        let parts = AnyKeyValueChange.parts(
            propertyName, kind, isInitial, isPrior, oldValue.map { $0 as Any }, newValue.map { $0 as Any }, indexes)
        return "KeyValueChange(" + parts.joined(separator: ", ") + ")"
    }
}

extension KeyValueChange: Equatable where Value: Equatable {
    /// Returns `true` if two changes have equal contents and the same key path.
    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.isPrior == right.isPrior && left.isInitial == right.isInitial
            && left.newValue == right.newValue && left.oldValue == right.oldValue && left.indexes == right.indexes
            && left.keyPath == right.keyPath
    }
}

/// The kind of a change.
public enum KeyValueChangeKind: UInt8, Sendable {
    /// The whole value was set, or the property was accessed for a change in place.
    case setting
    /// Elements were inserted into a collection.
    case insertion
    /// Elements were removed from a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}

/// The elements of a collection that a change inserts, removes or replaces.
@usableFromInline
package final class ElementsChange: Sendable {
    /// The positions of the elements; nil if the collection has no positions, as a set.
    @usableFromInline let indexes: RangeSet<Int>?
    /// `true` if the change concerns no elements, so that it changes nothing.
    @usableFromInline let isEmpty: Bool

    package init(indexes: RangeSet<Int>?, isEmpty: Bool) {
        self.indexes = indexes
        self.isEmpty = isEmpty
    }
}
