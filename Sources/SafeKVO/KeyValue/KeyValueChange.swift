/// One change of one key path, as one observer receives it.
///
/// The change contains only what the observer's options ask for; everything else is absent. If the property is optional, an absent value
/// (`newValue == nil`) differs from a present value that is nil (`newValue == .some(nil)`).
///
/// A change is immutable, and the observer may keep it. It is `Sendable` if the value is, and so does not contain the key path, whose
/// subscript arguments need not be. ``AnyKeyValueChange`` contains the key path.
public struct KeyValueChange<Value> {
    /// The kind of this change.
    public let kind: KeyValueChangeKind
    /// `true` if this call comes before the change; see ``KeyValueObservingOptions/prior``.
    public let isPrior: Bool
    /// `true` if this is the initial call, which delivers the value at registration.
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
    /// The indexes are nil if the whole value was set, and for a `Set`, whose members have no positions.
    public var indexes: RangeSet<Int>? { elements?.indexes }
    @usableFromInline let elements: ElementsChange?

    /// Names the observed property; `nil` if client code made the change.
    @usableFromInline let label: ChangeLabel?

    /// Makes a change, for example to test a method that takes one.
    public init(
        kind: KeyValueChangeKind = .setting, newValue: Value? = nil, oldValue: Value? = nil, indexes: RangeSet<Int>? = nil,
        isPrior: Bool = false,
        isInitial: Bool = false
    ) {
        self.kind = kind
        self.isPrior = isPrior
        self.isInitial = isInitial
        self.newValue = newValue
        self.oldValue = oldValue
        elements = indexes.map { ElementsChange(indexes: $0, isEmpty: $0.isEmpty) }
        label = nil
    }

    @_alwaysEmitIntoClient
    init(_ event: EventView<KeyValueEvent<Value>>, for info: ObservationInfo) {
        kind = event.pointee.header.kind
        isPrior = event.pointee.header.phase == .prior
        isInitial = event.pointee.header.phase == .initial
        newValue = info.flags.contains(.newValue) && !isPrior ? event.pointee.new : nil
        oldValue = info.flags.contains(.oldValue) && !isInitial ? event.pointee.old : nil
        elements = event.pointee.header.elements
        label = ChangeLabel(of: info)
    }

    /// The name of the observed property, as declared, for logs.
    ///
    /// The name is nil for a computed property, and for a key path through other objects.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stored properties of the object.
    public var propertyName: String? { label?.propertyName }
}

/// Names the property of a change, and needs nothing of the observation for that, which may have ended.
@usableFromInline
struct ChangeLabel: Sendable {
    private let type: AnyClass
    /// The offset of the property, or 0 for a key without storage.
    private let property: UInt

    @usableFromInline
    init(of info: ObservationInfo) {
        (type, property) = info.withList { list in (list.withRecord { $0.subjectType }, list.property) }
    }

    var propertyName: String? { PropertyName.name(of: type, property) }
}

extension KeyValueChange: Sendable where Value: Sendable {}

extension KeyValueChange: CustomStringConvertible {
    /// A text with the kind, the values, and the name of the property.
    public var description: String { AnyKeyValueChange(self).text(of: "KeyValueChange") }
}

extension KeyValueChange: Equatable where Value: Equatable {
    /// Returns `true` if two changes have equal contents.
    public static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.isPrior == right.isPrior && left.isInitial == right.isInitial
            && left.newValue == right.newValue && left.oldValue == right.oldValue && left.indexes == right.indexes
    }
}

/// The kind of a change: a setting of the whole value, or a change of elements of a collection.
public enum KeyValueChangeKind: UInt8, Sendable {
    /// The whole value was set, or was mutated in place, as by `items.append(item)`.
    case setting
    /// Elements were inserted into a collection.
    case insertion
    /// Elements were removed from a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}

@usableFromInline
package final class ElementsChange: Sendable {
    /// The positions of the changed elements; nil if the collection is a set, whose elements have no positions.
    @usableFromInline let indexes: RangeSet<Int>?
    @usableFromInline let isEmpty: Bool

    @usableFromInline
    package init(indexes: RangeSet<Int>?, isEmpty: Bool) {
        self.indexes = indexes
        self.isEmpty = isEmpty
    }
}

extension KeyValueChange where Value: BidirectionalCollection, Value.Element: Equatable {
    /// The steps that turn a copy of the old collection into the new one.
    ///
    /// ```swift
    /// guard let difference = change.difference else { return show(album.photos) }
    /// for step in difference {
    ///     switch step {
    ///     case .remove(let row, _, _): table.deleteRow(row)
    ///     case .insert(let row, let photo, _): table.insertRow(row, photo)
    ///     }
    /// }
    /// ```
    ///
    /// For an insertion, a removal or a replacement, the steps concern the elements at ``indexes``. For a setting, they are found by
    /// comparing the old and the new collection.
    ///
    /// The value is nil if the change lacks the elements that are needed. An insertion needs the new elements, and a removal needs the old
    /// ones. A replacement and a setting need both.
    ///
    /// - Complexity: O(*k*) for *k* elements that the change concerns. For a setting, O(*n* \* *d*) for *d* differences.
    @_alwaysEmitIntoClient
    public var difference: CollectionDifference<Value.Element>? {
        switch kind {
        case .setting:
            guard let oldValue, let newValue else { return nil }
            return newValue.difference(from: oldValue)
        case .insertion:
            return steps(newValue, Step.insert).flatMap { CollectionDifference($0) }
        case .removal:
            return steps(oldValue, Step.remove).flatMap { CollectionDifference($0) }
        case .replacement:
            guard let removals = steps(oldValue, Step.remove), let insertions = steps(newValue, Step.insert) else { return nil }
            return CollectionDifference(removals + insertions)
        }
    }

    @usableFromInline
    typealias Step = CollectionDifference<Value.Element>.Change

    @_alwaysEmitIntoClient
    func steps(_ elements: Value?, _ step: (Int, Value.Element, Int?) -> Step) -> [Step]? {
        guard let elements, let indexes, elements.count == indexes.count else { return nil }
        return zip(indexes.ranges.joined(), elements).map { step($0, $1, nil) }
    }
}
