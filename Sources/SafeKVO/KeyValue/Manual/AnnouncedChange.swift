/// A change of some elements of a collection that is announced before it is made.
package struct AnnouncedChange<Value> {
    package struct Plan {
        let kind: KeyValueChangeKind
        package let elements: ElementsChange
        package let old: Value?
        /// Finds the new elements in the value after the change, none for a removal; returns nil if the announced change was not made.
        package let fulfilment: (_ whole: Value) -> Value?
    }

    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    /// Finds the elements to remove or replace in the value before the change, and prepares `Plan.fulfilment`.
    ///
    /// `Plan.fulfilment` later checks that the announced change was made. Returns nil if the announced indexes are not inside the value.
    package let plan: (_ whole: Value) -> Plan?
}

extension AnnouncedChange where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    package static func elements(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) -> AnnouncedChange {
        AnnouncedChange(kind: kind, indexes: indexes) { whole in
            let count = indexes.count
            // The indexes of an insertion are positions after the insertion, so compare them with the count after it.
            let (larger, isTooLarge) = whole.count.addingReportingOverflow(kind == .insertion ? count : 0)
            if isTooLarge || !indexes.isInside(larger) { return nil }
            let after = kind == .removal ? larger - count : larger
            return Plan(
                kind: kind, elements: ElementsChange(indexes: indexes, isEmpty: count == 0),
                old: kind == .insertion ? nil : elements(of: whole, at: indexes),
                fulfilment: { $0.count != after ? nil : kind == .removal ? Value() : elements(of: $0, at: indexes) })
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
            let (gone, come) = (whole.subtracting(after), after.subtracting(whole))
            return Plan(
                kind: kind, elements: ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty),
                old: kind == .insertion ? nil : gone, fulfilment: { $0 == after ? come : nil })
        }
    }
}
