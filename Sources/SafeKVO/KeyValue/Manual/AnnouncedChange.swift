/// A change of some elements of a collection that is announced before it is made.
package struct AnnouncedChange<Value> {
    package struct Plan {
        let kind: KeyValueChangeKind
        let elements: ElementsChange
        let old: Value?
        /// Finds the changed elements in the value after the change; returns nil if the announced change was not made.
        ///
        /// For a removal, there are no new elements.
        let fulfilment: (_ whole: Value) -> (new: Value, old: Value?, elements: ElementsChange)?
    }

    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    /// Finds the elements to remove or replace in the value before the change, and prepares `Plan.fulfilment`.
    ///
    /// `Plan.fulfilment` later checks that the announced change was made. Returns nil if the announced indexes are not inside the value.
    let plan: (_ whole: Value) -> Plan?

    /// Makes the same announcement for values that contain the collection.
    package func wrapped<Outer>(_ wrap: @escaping (Value) -> Outer, _ unwrap: @escaping (Outer) -> Value?) -> AnnouncedChange<Outer> {
        AnnouncedChange<Outer>(kind: kind, indexes: indexes) { whole in
            unwrap(whole).flatMap(plan).map { plan in
                AnnouncedChange<Outer>.Plan(kind: kind, elements: plan.elements, old: plan.old.map(wrap)) { whole in
                    unwrap(whole).flatMap(plan.fulfilment).map { (wrap($0.new), $0.old.map(wrap), $0.elements) }
                }
            }
        }
    }
}

extension AnnouncedChange where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    package static func elements(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) -> AnnouncedChange {
        AnnouncedChange(kind: kind, indexes: indexes) { whole in
            let count = indexes.count
            // The indexes of an insertion are positions after the insertion, so compare them with the count after it.
            let (larger, isTooLarge) = whole.count.addingReportingOverflow(kind == .insertion ? count : 0)
            if isTooLarge || !indexes.isInside(larger) { return nil }
            let after = kind == .removal ? larger - count : larger
            let change = ElementsChange(indexes: indexes, isEmpty: count == 0)
            let old = kind == .insertion ? nil : elements(of: whole, at: indexes)
            return Plan(kind: kind, elements: change, old: old) {
                $0.count != after ? nil : (kind == .removal ? Value() : elements(of: $0, at: indexes), old, change)
            }
        }
    }

    private static func elements(of whole: Value, at indexes: RangeSet<Int>) -> Value {
        var picked = Value()
        for range in indexes.ranges {
            let start = whole.startIndex
            picked.append(contentsOf: whole[start + range.lowerBound..<start + range.upperBound])
        }
        return picked
    }
}

extension AnnouncedChange {
    static func mutation<Element>(_ mutation: KeyValueSetMutation, _ using: Set<Element>) -> AnnouncedChange where Value == Set<Element> {
        let kind: KeyValueChangeKind =
            switch mutation {
            case .union: .insertion
            case .minus, .intersect: .removal
            case .set: .replacement
            }
        return AnnouncedChange(kind: kind, indexes: nil) { whole in
            let after: Set<Element> =
                switch mutation {
                case .union: whole.union(using)
                case .minus: whole.subtracting(using)
                case .intersect: whole.intersection(using)
                case .set: using
                }
            let made = made(kind, from: whole, to: after)
            return Plan(kind: kind, elements: made.elements, old: made.old) { $0 == after ? made : nil }
        }
    }

    /// Announces a change of a set whose members become known only after it.
    package static func members<Element>(_ kind: KeyValueChangeKind) -> AnnouncedChange where Value == Set<Element> {
        AnnouncedChange(kind: kind, indexes: nil) { whole in
            Plan(kind: kind, elements: ElementsChange(indexes: nil, isEmpty: false), old: nil) { after in
                let isMade = kind == .insertion ? after.isSuperset(of: whole) : kind == .replacement || after.isSubset(of: whole)
                return isMade ? made(kind, from: whole, to: after) : nil
            }
        }
    }

    private static func made<Element>(
        _ kind: KeyValueChangeKind, from whole: Value, to after: Value
    ) -> (new: Value, old: Value?, elements: ElementsChange) where Value == Set<Element> {
        let (gone, come) = (whole.subtracting(after), after.subtracting(whole))
        return (come, kind == .insertion ? nil : gone, ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty))
    }
}
