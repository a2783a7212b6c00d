/// A change of some elements of a collection that is announced before it is made.
@usableFromInline
package final class AnnouncedChange<Value> {
    /// The announced edit, and a function that finds the edit that was made in the value after the change; nil if it is another one.
    @usableFromInline
    typealias Plan = (announced: CollectionEdit<Value>, made: (_ whole: Value) -> CollectionEdit<Value>?)

    @usableFromInline let kind: KeyValueChangeKind
    @usableFromInline let indexes: RangeSet<Int>?
    /// `true` if the announcement says which elements are removed or replaced.
    @usableFromInline let isOldKnown: Bool
    /// Plans the change of the value before it; returns nil if the announced indexes are not inside the value.
    @usableFromInline let plan: (_ whole: Value) -> Plan?

    @_alwaysEmitIntoClient
    init(kind: KeyValueChangeKind, indexes: RangeSet<Int>?, isOldKnown: Bool = true, plan: @escaping (_ whole: Value) -> Plan?) {
        (self.kind, self.indexes, self.isOldKnown, self.plan) = (kind, indexes, isOldKnown, plan)
    }

    /// Makes the same announcement for values that contain the collection.
    @_alwaysEmitIntoClient
    package func wrapped<Outer>(_ wrap: @escaping (Value) -> Outer, _ unwrap: @escaping (Outer) -> Value?) -> AnnouncedChange<Outer> {
        AnnouncedChange<Outer>(kind: kind, indexes: indexes, isOldKnown: isOldKnown) { [plan] whole in
            unwrap(whole).flatMap(plan).map { plan in
                (plan.announced.map(wrap), { whole in unwrap(whole).flatMap(plan.made)?.map(wrap) })
            }
        }
    }
}

extension AnnouncedChange where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    @_alwaysEmitIntoClient
    package static func elements(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) -> AnnouncedChange {
        AnnouncedChange(kind: kind, indexes: indexes) { whole in
            let count = indexes.count
            // The indexes of an insertion are positions after the insertion, so compare them with the count after it.
            let (larger, isTooLarge) = whole.count.addingReportingOverflow(kind == .insertion ? count : 0)
            if isTooLarge || !indexes.isInside(larger) { return nil }
            let after = kind == .removal ? larger - count : larger
            let elements = ElementsChange(indexes: indexes, isEmpty: count == 0)
            let gone = kind == .insertion ? Value() : picked(from: whole, at: indexes)
            let announced = CollectionEdit(kind, elements: elements, gone: gone, come: Value())
            return (
                announced,
                { whole in
                    if whole.count != after { return nil }
                    if kind == .removal { return announced }
                    return CollectionEdit(kind, elements: elements, gone: gone, come: picked(from: whole, at: indexes))
                }
            )
        }
    }

    @_alwaysEmitIntoClient
    private static func picked(from whole: Value, at indexes: RangeSet<Int>) -> Value {
        var picked = Value()
        for range in indexes.ranges {
            let start = whole.startIndex
            picked.append(contentsOf: whole[start + range.lowerBound..<start + range.upperBound])
        }
        return picked
    }
}

extension AnnouncedChange {
    @_alwaysEmitIntoClient
    static func mutation<Element>(_ mutation: KeyValueSetMutation, _ using: Set<Element>) -> AnnouncedChange where Value == Set<Element> {
        let (kind, result): (KeyValueChangeKind, (Value) -> Value) =
            switch mutation {
            case .union: (.insertion, { $0.union(using) })
            case .minus: (.removal, { $0.subtracting(using) })
            case .intersect: (.removal, { $0.subtracting($0.subtracting(using)) })
            case .set: (.replacement, { _ in using })
            }
        return AnnouncedChange(kind: kind, indexes: nil) { whole in
            let after = result(whole)
            let edit = CollectionEdit(kind, gone: whole.subtracting(after), come: after.subtracting(whole))
            return (edit, { $0 == after ? edit : nil })
        }
    }

    /// Announces a change of a set whose members become known only after it.
    @_alwaysEmitIntoClient
    package static func members<Element>(_ kind: KeyValueChangeKind) -> AnnouncedChange where Value == Set<Element> {
        AnnouncedChange(kind: kind, indexes: nil, isOldKnown: false) { whole in
            let announced = CollectionEdit(kind, elements: ElementsChange(indexes: nil, isEmpty: false), gone: whole, come: Set())
            return (
                announced,
                { after in
                    let isMade = kind == .insertion ? after.isSuperset(of: whole) : kind == .replacement || after.isSubset(of: whole)
                    return isMade ? CollectionEdit(kind, gone: whole.subtracting(after), come: after.subtracting(whole)) : nil
                }
            )
        }
    }
}
